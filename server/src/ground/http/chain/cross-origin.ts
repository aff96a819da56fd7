import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { foreignOrigin } from '../../errors.ts'
import type { Operation } from './operation.ts'

/** How long a browser may keep the reply; Chromium keeps it for two hours at most. */
const preflightMaxAgeSeconds = 7_200
const allowedHeaders = 'authorization, content-type, service-orgid'

/**
 * Answers the preflight requests of browsers. Cookies are never allowed, because no operation reads any.
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

/** Pages of the organization's applications may read the reply, also a refusal; other pages get a 403. */
export async function admitPage(request: FastifyRequest, reply: FastifyReply, { pageOrigins }: Operation) {
  if (!pageOrigins) return
  reply.header('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined) return
  if (!(await pageOrigins.isAllowed(request.organizationId, origin))) throw foreignOrigin()
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': 'Signet-Error' })
}
