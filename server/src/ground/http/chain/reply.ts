import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CursorPaged, Operation, OwnReply, Paged } from './operation.ts'

/** The success of an operation as a response. */
export function replyWith(result: unknown, operation: Operation, request: FastifyRequest, reply: FastifyReply) {
  reply.code(operation.status)
  if (operation.status === 204) return reply.send()
  if (operation.bare) return replyBare(result, operation, operation.bare.maxAgeSeconds, reply)
  reply.header('cache-control', 'no-store')
  if (operation.otherMediaTypes) return replyOwn(result as OwnReply, reply)
  return contentOf(result, operation, request)
}

/** The whole reply, where it is JSON in the envelope. */
export function contentOf(result: unknown, operation: Operation, request: FastifyRequest) {
  if (!operation.paged) return operation.result ? { result } : {}
  if (operation.paged === 'cursor') return toCursorPage(result as CursorPaged<unknown>)
  const { items, totalCount } = result as Paged<unknown>
  const { limit, offset } = request.query as { limit: number; offset: number }
  return { result: items, meta: { pagination: { limit, offset, total_count: totalCount } } }
}

function replyBare(result: unknown, { access }: Operation, maxAgeSeconds: number, reply: FastifyReply) {
  // The address is the same for all organizations, and caches go by the address.
  if (access === 'organization') reply.header('vary', 'Service-OrgID')
  return reply.header('cache-control', `max-age=${maxAgeSeconds}`).send(result)
}

const replyOwn = ({ headers, body }: OwnReply, reply: FastifyReply) => reply.headers(headers).send(body)

const toCursorPage = ({ items, next }: CursorPaged<unknown>) => ({
  result: items,
  meta: next === undefined ? {} : { next, has_more: true },
})
