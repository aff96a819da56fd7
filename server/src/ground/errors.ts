import { type CodeOf, type ErrorCode, notFoundCode, type Thing } from './error-codes.ts'

/**
 * The closed list of errors that a client can receive. Anything else that is thrown becomes a 500 with a request id.
 */
export type Problem = { httpcode: number; code: ErrorCode; message: string }

/**
 * Listed in one reply; a body can break a rule a thousand times. Their codes stand in a header: 50 of 40 characters take half of the 4 KiB that
 * nginx has for all headers of a reply.
 */
export const maxProblems = 50

export class ApiError extends Error {
  readonly problems: Problem[]
  readonly headers: Record<string, string>

  constructor(problems: Problem[], headers: Record<string, string> = {}) {
    super(problems.map((problem) => problem.message).join('; '))
    this.problems = problems.slice(0, maxProblems)
    this.headers = headers
  }

  get status(): number {
    return this.problems[0]?.httpcode ?? 500
  }
}

type Headers = Record<string, string>
const one = <Status extends number>(httpcode: Status, code: CodeOf<Status>, message: string, headers?: Headers) =>
  new ApiError([{ httpcode, code, message }], headers)
const each =
  <Status extends number>(httpcode: Status) =>
  (code: CodeOf<Status>, ...messages: string[]) =>
    new ApiError(messages.map((message) => ({ httpcode, code, message })))

/** Each message names the field and the rule: `name: is required`. One entry for each thing wrong. */
export const badRequest = each(400)
/** One thing that is wrong with a request. */
export type Fault = { code: CodeOf<400>; message: string }
export const badRequestOf = (faults: Fault[]) => new ApiError(faults.map((fault) => ({ httpcode: 400, ...fault })))

export const keyRequired = (header: string) => one(401, 'key_required', `${header}: is required`)
/** The same text for every reason, so that nothing can be learned from it. `field`: the header or the member that has the key. */
export const keyNotValid = (field = 'Service-API-Key') =>
  one(401, 'key_not_valid', `${field}: is not valid for this organization`)
/** Only whoever sent the right key learns this. */
export const keyExpired = (field = 'Service-API-Key') => one(401, 'key_expired', `${field}: has expired`)
export const operatorKeyNotValid = (field = 'Service-Operator-Key') =>
  one(401, 'operator_key_not_valid', `${field}: is not valid`)
/** Of the console: also where its key or its organization has ended. */
export const sessionEnded = () => one(401, 'session_ended', 'Cookie: the session of the console has ended')
/** Of the console: the session goes on, and this one call asks for a sign-in younger than an hour. */
export const signInNotRecent = () =>
  one(401, 'sign_in_not_recent', 'Cookie: this needs a sign-in younger than an hour; sign in again')
/** A page of the console goes on showing what it was opened with. */
export const sessionReplaced = () =>
  one(409, 'console_session_replaced', 'Service-Console: must be the id of the session that this browser has now')
/** Another page may have made the browser send the request. */
export const notOfConsole = () =>
  one(401, 'not_from_console', 'Service-Console: must be 1, in a request that a page of this service itself sends')
/** The request has a bearer token (RFC 6750). */
export const invalidIdToken = () =>
  one(
    401,
    'id_token_not_valid',
    'Authorization: must be absent, or Bearer with a valid ID token of this organization',
    { 'www-authenticate': 'Bearer error="invalid_token"' },
  )
export const tierLimitReached = (message: string) => one(402, 'tier_limit_reached', message)
export const foreignOrigin = () =>
  one(403, 'foreign_origin', 'Origin: must be the origin of a redirect URI of an application')
export const forbidden = each(403)
/** Also for what belongs to another organization. */
export const notFound = (thing: Thing) => one(404, notFoundCode(thing), `${thing}: not found`)
/** The same text for every reason, so that nothing can be learned from it. */
export const noOpenLink = () =>
  one(404, 'link_not_open', 'token: is that of no open link; a link is open until it is used or deleted, or expires')
/** As `noOpenLink`. */
export const noOpenInvitation = () =>
  one(
    404,
    'invitation_not_open',
    'token: is that of no open invitation; an invitation is open until it is used or deleted, or expires',
  )
/** `hint`: what was probably meant. */
export const noSuchRoute = (hint = '') => one(404, 'unknown_path', `path: no such operation${hint}`)
/** `issuer`: what one looks like. */
export const noIssuerHere = (issuer: string) =>
  one(404, 'unknown_path', `path: no issuer is here; an issuer is ${issuer}, without a slash at its end`)
export const trailingSlash = (path: string) =>
  one(404, 'unknown_path', `path: no such operation; use ${path}, without the trailing slash`)
export const methodNotAllowed = (allow: string[]) =>
  one(405, 'method_not_allowed', `method: must be one of ${allow.join(', ')}`, { allow: allow.join(', ') })
export const notAcceptable = (mediaTypes: string[]) =>
  one(406, 'not_acceptable', `Accept: must allow ${mediaTypes.join(' or ')}`)
export const consistencyNotReached = () =>
  one(
    408,
    'consistency_not_reached',
    'Service-Required-Consistency-Timeout: not reached in time; the request may still be handled',
  )
export const requestTooSlow = () => one(408, 'request_too_slow', 'request: not received in time')
export const conflict = each(409)
/** What the request names was there once. */
export const gone = each(410)
export const bodyTooLarge = (limit: string) => one(413, 'body_too_large', `body: must be at most ${limit}`)
export const wrongContentType = (mediaTypes = ['application/json']) =>
  one(415, 'wrong_content_type', `Content-Type: must be ${mediaTypes.join(' or ')}`)
export const wrongCharset = () => one(415, 'wrong_content_type', 'Content-Type: charset must be utf-8')
/** RFC 9110, 10.1.1. */
export const unknownExpectation = () => one(417, 'unknown_expectation', 'Expect: must be 100-continue')
/** Of another request than this one. */
export const idempotencyKeyReused = () =>
  one(422, 'idempotency_key_reused', 'Idempotency-Key: must not be that of another request; this one differs from it')
export const idempotencyKeyInUse = () =>
  one(409, 'idempotency_key_in_use', 'Idempotency-Key: is that of a request that is still being handled; try again', {
    'retry-after': '1',
  })
const moved = 'organization: has moved, or is moving, to another cell of this service'
/** Its former and its next cell answer so while it moves. */
export const organizationMoving = () => one(423, 'organization_moving', moved, { 'retry-after': '5' })
/** Its former cell answers so once it has given it up: another try does not help there. */
export const organizationMoved = () => one(423, 'organization_moved', moved)
export const tooManyRequests = (retryAfterSeconds: number) =>
  one(429, 'rate_limited', `rate limit exceeded; retry after ${retryAfterSeconds} s`, {
    'retry-after': String(retryAfterSeconds),
  })
/** `limit` says of what there may be how many. */
export const tooManyStreams = (limit: string) =>
  one(429, 'too_many_streams', `${limit} at once`, { 'retry-after': '10' })
export const headersTooLarge = () => one(431, 'headers_too_large', 'headers: must be at most 32 KiB in total')
export const internalError = (requestId: string) =>
  one(500, 'internal_error', `internal error; request id ${requestId}`)
const unavailableWith = (code: CodeOf<503>, message: string) => one(503, code, message, { 'retry-after': '1' })
export const unavailable = () => unavailableWith('unavailable', 'service: temporarily unavailable; try again')
/** To a browser that fetches a page ahead of the person, who may never ask for it. */
export const prefetched = () =>
  unavailableWith('page_prefetched', 'page: is not given in advance; ask again when the person does')
/** The database became unavailable after a commit was sent. */
export const outcomeUnknown = () =>
  unavailableWith(
    'outcome_unknown',
    'service: temporarily unavailable; the change may have been made, so check before you try again',
  )
/** Closes the connection: where this request ends is unknown (RFC 9112, 6.1). */
export const unknownTransferCoding = () =>
  one(501, 'unknown_transfer_coding', 'Transfer-Encoding: must be chunked', { connection: 'close' })

/** A request that was refused, as far as it could be read: a browser is shown a page in place of the envelope. */
export type Refusal = {
  path: string
  status: number
  /** What the envelope would say. */
  detail: string
  /** The header of that name, where it could be read. */
  accept?: string | undefined
  requestId?: string
  /** False where the address itself may have made the request too large. */
  isAddressShort?: boolean
  /** The header of that name, and the parameter of the query: which language the person reads. */
  acceptLanguage?: string | undefined
  uiLocales?: string | undefined
}
