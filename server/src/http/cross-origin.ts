import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { foreignOrigin } from '../errors.ts'
import type { Operation } from './operation.ts'

/** How long a browser need not ask again; Chromium asks after two hours in any case. */
const preflightMaxAgeSeconds = 7_200
const allowedHeaders = 'authorization, content-type, service-orgid'

/**
 * Answers browsers that ask before a page of another origin calls an operation. Cookies are never allowed: an operation
 * knows none.
 */
export function answerPreflights(
  app: FastifyInstance,
  { path, method, pageOrigins }: Operation,
  onRequest: (request: FastifyRequest) => Promise<void>,
) {
  if (!pageOrigins) return
  app.options(path, { onRequest }, async (request, reply) => {
    reply.header('vary', 'Origin')
    const { origin = '' } = request.headers
    if (!(await pageOrigins.isAllowedSomewhere(origin))) throw foreignOrigin()
    const headers = {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': method,
      'access-control-allow-headers': allowedHeaders,
      'access-control-max-age': preflightMaxAgeSeconds,
    }
    return reply.code(204).headers(headers).send()
  })
}

/** A page of one of the organization's applications may read the answer, also one that refuses; another is refused. */
export async function admitPage(request: FastifyRequest, reply: FastifyReply, { pageOrigins }: Operation) {
  if (!pageOrigins) return
  reply.header('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined) return
  if (!(await pageOrigins.isAllowed(request.organizationId, origin))) throw foreignOrigin()
  reply.header('access-control-allow-origin', origin)
}
