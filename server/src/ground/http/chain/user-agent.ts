import type { FastifyRequest } from 'fastify'

/** Characters; a longer one is cut. */
const maxUserAgent = 1_000

export const userAgentOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  (headers['user-agent'] ?? '').slice(0, maxUserAgent)
