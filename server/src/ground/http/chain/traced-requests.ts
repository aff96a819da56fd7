import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Span, type Tracer, untraced } from '../../runtime/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    hasShownKey: boolean
    /** Null until the caller is known. */
    span: Span | undefined | null
  }
}

/**
 * The span begins with the request's arrival, but is made once the caller is known, because only a caller with a valid key may continue its
 * own trace. A request that is refused earlier gets a trace of one span.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer) {
  app.decorateRequest('hasShownKey', false)
  app.decorateRequest('span', null)
  // Else every request would pay for two hooks.
  if (tracer === untraced) return
  app.addHook('preHandler', (request, _reply, done) => {
    request.span = begin(request, tracer)
    if (request.span) request.span.run(done)
    else done()
  })
  app.addHook('onResponse', async (request, reply) => {
    if (request.span === null) request.span = begin(request, tracer)
    endSpan(request, reply)
  })
}

/** Also to be called when an event stream begins, which may last for days. */
export const endSpan = ({ span }: FastifyRequest, { statusCode }: FastifyReply) =>
  span?.end({
    attributes: { 'http.response.status_code': statusCode },
    error: statusCode >= 500 ? String(statusCode) : undefined,
  })

/**
 * By the route, never the path, which contains ids, nor the query. Only of a caller with the operator's key, which is no principal of an
 * organization, does the flag decide whether it is recorded.
 */
function begin({ method, routeOptions, arrivedAt, hasShownKey, principal, headers }: FastifyRequest, tracer: Tracer) {
  const route = routeOptions.url ?? 'none'
  const attributes = { 'http.request.method': method, 'http.route': route }
  const { traceparent } = headers
  const parent = hasShownKey && typeof traceparent === 'string' ? traceparent : undefined
  const origin = { parent, isParentBounded: Boolean(principal), startedAt: arrivedAt }
  return tracer.begin({ name: `${method} ${route}`, kind: 'server', attributes }, origin)
}
