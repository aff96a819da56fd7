import type { FastifyRequest } from 'fastify'

/** In characters; what is longer is cut. */
const maxUserAgent = 1_000

/** Of the browser or program that calls. */
export const userAgentOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  (headers['user-agent'] ?? '').slice(0, maxUserAgent)
