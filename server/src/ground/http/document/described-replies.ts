import { STATUS_CODES } from 'node:http'
import type { TSchema } from 'typebox'
import { eventStreamType } from '../chain/accept.ts'
import { isAnonymous } from '../chain/authentication.ts'
import { columnsOf, csvType, isList } from '../chain/csv.ts'
import { takesIdempotencyKey } from '../chain/idempotency-key.ts'
import { type Operation, writes } from '../chain/operation.ts'
import { responseSchema } from '../chain/route-schema.ts'
import { ErrorCodes, Errors } from '../chain/schemas.ts'
import type { Refer } from './components.ts'
import { toJsonContent } from './json-content.ts'

const header = (description: string, schema: object, required = true) => ({ description, required, schema })
export const headers = {
  'Signet-Error': header('The code of each entry of `errors`, in their order.', ErrorCodes),
  'X-Request-Id': header('Names the request in the log of the service.', { type: 'string' }),
  'Retry-After': header('Seconds to wait before the next try.', { type: 'integer', minimum: 1 }),
  Allow: header('The methods of this path.', { type: 'string' }),
  'Cache-Control': header('How long the answer may be cached.', { type: 'string' }),
  'Idempotent-Replayed': header(
    '`true` where the call repeats an earlier one, and this is what that was answered.',
    { type: 'string', enum: ['true'] },
    false,
  ),
  Link: header(
    'Of a table, where there is a following page: its address, with `rel="next"`.',
    { type: 'string' },
    false,
  ),
  'WWW-Authenticate': header('What is wrong with the ID token, if the request has one.', { type: 'string' }, false),
}
const withHeaders = (...names: (keyof typeof headers)[]) => ({
  headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
})

export function successOf(operation: Operation, refer: Refer) {
  const { status, bare } = operation
  return {
    description: STATUS_CODES[status],
    ...withHeaders(
      'X-Request-Id',
      ...(bare ? (['Cache-Control'] as const) : []),
      ...(takesIdempotencyKey(operation) ? (['Idempotent-Replayed'] as const) : []),
      ...(isList(operation) && operation.paged ? (['Link'] as const) : []),
    ),
    ...(status !== 204 && { content: contentOf(operation, refer) }),
  }
}

function contentOf(operation: Operation, refer: Refer) {
  const { eventStream, otherMediaTypes = {} } = operation
  return {
    ...(eventStream !== 'always' && toJsonContent(responseSchema(operation) as TSchema, refer)),
    ...binaryContent(otherMediaTypes),
    ...(isList(operation) && { [csvType]: { schema: { type: 'string', description: csvDescription(operation) } } }),
    ...(eventStream && { [eventStreamType]: { schema: { type: 'string' }, example: eventStreamExample } }),
  }
}

const csvDescription = (operation: Operation) =>
  `The same as a table (RFC 4180) with a first line of names: ${columnsOf(operation)
    .map(({ name }) => name)
    .join(', ')}.`

const eventStreamExample = `: connected

id: ZXZlbnRzIDE
event: PersonCreated_v1
data: {"event_metadata":{"event_name":"PersonCreated_v1"}}

`

const binaryContent = (mediaTypes: Record<string, string>) =>
  Object.fromEntries(Object.entries(mediaTypes).map(([type, description]) => [type, { schema: { description } }]))

type Refused = { name: string; when: string; example: string; headers?: (keyof typeof headers)[] }

const refused: Record<string, Refused> = {
  400: { name: 'BadRequest', when: 'The request breaks a rule.', example: 'name: is required' },
  401: {
    name: 'Unauthorized',
    when: 'The key is missing, not valid, or has expired; the message names the header.',
    example: 'Service-API-Key: is not valid for this organization',
    headers: ['WWW-Authenticate'],
  },
  402: {
    name: 'PaymentRequired',
    when: "It would exceed a limit of the organization's pricing tier.",
    example: 'groups: the pricing tier allows at most 10',
  },
  403: {
    name: 'Forbidden',
    when: 'The key lacks a scope, or the page that asks belongs to no application.',
    example: 'Service-API-Key: lacks the scope groups:write',
  },
  404: {
    name: 'NotFound',
    when: 'There is no such thing in this organization.',
    example: 'group: not found',
  },
  405: {
    name: 'MethodNotAllowed',
    when: 'The path has other methods.',
    example: 'method: must be one of GET, POST',
    headers: ['Allow'],
  },
  406: {
    name: 'NotAcceptable',
    when: 'The response has none of the wanted media types.',
    example: 'Accept: must allow application/json or text/event-stream',
  },
  408: {
    name: 'RequestTimeout',
    when: 'The required consistency was not reached in time. The request may still be handled.',
    example: 'Service-Required-Consistency-Timeout: not reached in time; the request may still be handled',
  },
  409: {
    name: 'Conflict',
    when: 'It conflicts with the present state. With `Retry-After`: a call with the same `Idempotency-Key` is still being handled.',
    example: 'target_url: is the target of another webhook already',
  },
  410: {
    name: 'Gone',
    when: 'What the cursor refers to is not kept any more; the message has the oldest cursor.',
    example: 'after: is older than the events that are kept; the oldest cursor is ZXZlbnRz',
  },
  413: { name: 'ContentTooLarge', when: 'The body is too large.', example: 'body: must be at most 1 MiB' },
  415: {
    name: 'UnsupportedMediaType',
    when: 'The body is not JSON in UTF-8.',
    example: 'Content-Type: must be application/json',
  },
  422: {
    name: 'UnprocessableContent',
    when: 'The `Idempotency-Key` was sent with another request before.',
    example: 'Idempotency-Key: must not be that of another request; this one differs from it',
  },
  429: {
    name: 'TooManyRequests',
    when: 'A rate limit, or the number of event streams, is exceeded.',
    example: 'rate limit exceeded; retry after 3 s',
    headers: ['Retry-After'],
  },
  500: {
    name: 'InternalServerError',
    when: 'The service failed; the message has the request id.',
    example: 'internal error; request id 0199a3f2-5c00-7000-8000-0242ac120002',
  },
  503: {
    name: 'ServiceUnavailable',
    when: 'The service, or its database, cannot answer now.',
    example: 'service: temporarily unavailable; try again',
    headers: ['Retry-After'],
  },
  // Any request may be refused so: its organization moves (423), its headers are too large (431), or its expectation is unknown (417).
  default: {
    name: 'Refused',
    when: 'The request is refused for another reason.',
    example: 'Expect: must be 100-continue',
  },
}

export const refusals = (refer: Refer) =>
  Object.fromEntries(
    Object.entries(refused).map(([status, { name, when, example, headers: own = [] }]) => [
      name,
      {
        description: when,
        ...withHeaders('X-Request-Id', 'Signet-Error', ...own),
        content: {
          'application/json': {
            schema: refer(Errors),
            example: { errors: [{ httpcode: Number(status) || 417, message: example }] },
          },
        },
      },
    ]),
  )

export function refusalsOf(operation: Operation) {
  const { refusals: own = [], access, params, eventStream } = operation
  const statuses = [
    ...[400, 405, 500, 503, ...own],
    ...(eventStream ? [406, 429] : []),
    ...(isAnonymous(operation) ? [] : [401]),
    ...(params || isAnonymous(operation) ? [404] : []),
    ...(writes(operation) ? [408, 413, 415] : []),
    ...(takesIdempotencyKey(operation) ? [409, 422] : []),
    ...(access === 'key' ? [403] : []),
  ]
  return Object.fromEntries(
    [...new Set(statuses), 'default'].map((status) => [
      status,
      { $ref: `#/components/responses/${refused[status]?.name}` },
    ]),
  )
}
