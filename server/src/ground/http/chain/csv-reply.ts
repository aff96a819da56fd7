import type { FastifyReply, FastifyRequest } from 'fastify'
import { columnsOf, csvType, toCsv } from './csv.ts'
import type { Operation, OwnReply } from './operation.ts'
import { contentOf } from './reply.ts'
import { responseSchema } from './route-schema.ts'
import { compileSerializer } from './serializer.ts'

type Meta = {
  pagination?: { limit: number; offset: number; total_count: number }
  next?: string
  has_more?: boolean
}
type Content = { result: unknown[]; meta?: Meta }

/** Sends the result of a list as a table. What is no member of its schema is in no cell, as it is in no JSON. */
export function createCsvReply(operation: Operation) {
  const serialize = compileSerializer({ schema: responseSchema(operation) })
  const columns = columnsOf(operation)
  const asJson = (result: unknown, request: FastifyRequest) =>
    operation.otherMediaTypes ? (result as OwnReply).body : serialize(contentOf(result, operation, request))

  return (result: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { result: items, meta = {} } = JSON.parse(String(asJson(result, request))) as Content
    return reply
      .headers({
        'cache-control': 'no-store',
        'content-type': `${csvType}; charset=utf-8; header=present`,
        'content-disposition': `attachment; filename="${nameOf(operation)}.csv"`,
        ...(operation.paged === 'feed' && feedHeaders(meta)),
        ...linkTo(nextOf(meta), request, operation),
      })
      .send(toCsv(columns, items))
  }
}

/** What the list is of: the last part of its path that is no parameter. */
const nameOf = ({ path }: Operation) =>
  path
    .split('/')
    .filter((part) => !part.startsWith(':'))
    .at(-1)

/** What of the query leads to the next page. */
function nextOf({ pagination, next, has_more: hasMore }: Meta): Record<string, string> | undefined {
  if (!pagination) return next !== undefined && hasMore ? { after: next } : undefined
  const { limit, offset, total_count } = pagination
  return offset + limit < total_count ? { offset: String(offset + limit) } : undefined
}

/** Relative to the address that was asked (RFC 8288, 3.1), which a proxy may have changed. */
function linkTo(next: Record<string, string> | undefined, { url }: FastifyRequest, { paged }: Operation) {
  if (!next) return {}
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length))
  // A feed begins at one of both.
  if (paged === 'feed') query.delete('since')
  for (const [name, value] of Object.entries(next)) query.set(name, value)
  return { link: `<?${query}>; rel="next"` }
}

const feedHeaders = ({ next = '', has_more: hasMore }: Meta) => ({
  'service-feed-next': next,
  'service-feed-has-more': String(hasMore),
})
