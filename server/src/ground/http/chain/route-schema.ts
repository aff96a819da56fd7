import type { Operation } from './operation.ts'
import { CursorQuery, cursorEnvelope, feedEnvelope, PageQuery, pageEnvelope, resultEnvelope } from './schemas.ts'

/** Validates the parts of a request and serializes its reply. */
export function routeSchema(operation: Operation) {
  const { params, query, body, paged } = operation
  const properties = { ...query?.properties, ...pageQuery(paged) }
  return {
    ...(params ? { params } : {}),
    querystring: { type: 'object', properties, required: query?.required ?? [], additionalProperties: false },
    ...(body ? { body } : {}),
    response: { [operation.status]: responseSchema(operation) },
  }
}

function pageQuery(paged: Operation['paged']) {
  if (!paged) return {}
  return paged === true ? PageQuery : CursorQuery
}

/** The whole reply of a success. */
export function responseSchema({ status, bare, paged, result }: Operation) {
  if (status === 204) return { type: 'null' }
  if (!result) return { type: 'object', properties: {} }
  if (bare) return result
  if (!paged) return resultEnvelope(result)
  if (paged === 'feed') return feedEnvelope(result)
  return paged === 'cursor' ? cursorEnvelope(result) : pageEnvelope(result)
}
