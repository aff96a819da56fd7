/**
 * The closed list of errors that a client can receive. Anything else that is thrown becomes a 500 with a request id.
 */
export type Problem = { httpcode: number; message: string }

export class ApiError extends Error {
  readonly problems: Problem[]
  readonly headers: Record<string, string>

  constructor(problems: Problem[], headers: Record<string, string> = {}) {
    super(problems.map((problem) => problem.message).join('; '))
    this.problems = problems
    this.headers = headers
  }

  get status(): number {
    return this.problems[0]?.httpcode ?? 500
  }
}

const one = (httpcode: number) => (message: string) => new ApiError([{ httpcode, message }])
const each =
  (httpcode: number) =>
  (...messages: string[]) =>
    new ApiError(messages.map((message) => ({ httpcode, message })))

/** Each message names the field and the rule: `name: is required`. One entry for each thing wrong. */
export const badRequest = each(400)

export const keyRequired = (header: string) => one(401)(`${header}: is required`)
/** The same text for every reason, so that nothing can be learned from it. `field`: the header or the member that has the key. */
export const keyNotValid = (field = 'Service-API-Key') => one(401)(`${field}: is not valid for this organization`)
/** Only whoever sent the right key learns this. */
export const keyExpired = (field = 'Service-API-Key') => one(401)(`${field}: has expired`)
export const operatorKeyNotValid = (field = 'Service-Operator-Key') => one(401)(`${field}: is not valid`)
/** Of the console: also where its key or its organization has ended. */
export const sessionEnded = () => one(401)('Cookie: the session of the console has ended')
/** Of the console: the session goes on, and this one call asks for a sign-in younger than an hour. */
export const signInNotRecent = () =>
  new ApiError([{ httpcode: 401, message: 'Cookie: this needs a sign-in younger than an hour; sign in again' }], {
    'signet-error': 'sign_in_not_recent',
  })
/** A page of the console goes on showing what it was opened with. */
export const sessionReplaced = () =>
  new ApiError(
    [{ httpcode: 409, message: 'Service-Console: must be the id of the session that this browser has now' }],
    { 'signet-error': 'console_session_replaced' },
  )
/** Another page may have made the browser send the request. */
export const notOfConsole = () =>
  one(401)('Service-Console: must be 1, in a request that a page of this service itself sends')
/** The request has a bearer token (RFC 6750). */
export const invalidIdToken = () =>
  new ApiError(
    [{ httpcode: 401, message: 'Authorization: must be absent, or Bearer with a valid ID token of this organization' }],
    { 'www-authenticate': 'Bearer error="invalid_token"' },
  )
export const tierLimitReached = one(402)
export const foreignOrigin = () => one(403)('Origin: must be the origin of a redirect URI of an application')
export const forbidden = each(403)
/** Also for what belongs to another organization. */
export const notFound = (what: string) => one(404)(`${what}: not found`)
/** The same text for every reason, so that nothing can be learned from it. */
export const noOpenLink = () =>
  one(404)('token: is that of no open link; a link is open until it is used or deleted, or expires')
/** As `noOpenLink`. */
export const noOpenInvitation = () =>
  one(404)('token: is that of no open invitation; an invitation is open until it is used or deleted, or expires')
/** `hint`: what was probably meant. */
export const noSuchRoute = (hint = '') => one(404)(`path: no such operation${hint}`)
/** `issuer`: what one looks like. */
export const noIssuerHere = (issuer: string) =>
  one(404)(`path: no issuer is here; an issuer is ${issuer}, without a slash at its end`)
export const trailingSlash = (path: string) =>
  one(404)(`path: no such operation; use ${path}, without the trailing slash`)
export const methodNotAllowed = (allow: string[]) =>
  new ApiError([{ httpcode: 405, message: `method: must be one of ${allow.join(', ')}` }], { allow: allow.join(', ') })
export const notAcceptable = (mediaTypes: string[]) => one(406)(`Accept: must allow ${mediaTypes.join(' or ')}`)
export const consistencyNotReached = () =>
  one(408)('Service-Required-Consistency-Timeout: not reached in time; the request may still be handled')
export const requestTooSlow = () => one(408)('request: not received in time')
export const conflict = each(409)
/** What the request names was there once. */
export const gone = one(410)
export const bodyTooLarge = (limit: string) => one(413)(`body: must be at most ${limit}`)
export const wrongContentType = (mediaTypes = ['application/json']) =>
  one(415)(`Content-Type: must be ${mediaTypes.join(' or ')}`)
export const wrongCharset = () => one(415)('Content-Type: charset must be utf-8')
/** RFC 9110, 10.1.1. */
export const unknownExpectation = () => one(417)('Expect: must be 100-continue')
/** Of another request than this one. */
export const idempotencyKeyReused = () =>
  new ApiError(
    [{ httpcode: 422, message: 'Idempotency-Key: must not be that of another request; this one differs from it' }],
    { 'signet-error': 'idempotency_key_reused' },
  )
export const idempotencyKeyInUse = () =>
  new ApiError(
    [{ httpcode: 409, message: 'Idempotency-Key: is that of a request that is still being handled; try again' }],
    { 'retry-after': '1', 'signet-error': 'idempotency_key_in_use' },
  )
const moved = 'organization: has moved, or is moving, to another cell of this service'
/** Its former and its next cell answer so while it moves. */
export const organizationMoving = () => new ApiError([{ httpcode: 423, message: moved }], { 'retry-after': '5' })
/** Its former cell answers so once it has given it up: another try does not help there. */
export const organizationMoved = () => one(423)(moved)
export const tooManyRequests = (retryAfterSeconds: number) =>
  new ApiError([{ httpcode: 429, message: `rate limit exceeded; retry after ${retryAfterSeconds} s` }], {
    'retry-after': String(retryAfterSeconds),
  })
/** `limit` says of what there may be how many. */
export const tooManyStreams = (limit: string) =>
  new ApiError([{ httpcode: 429, message: `${limit} at once` }], { 'retry-after': '10' })
export const headersTooLarge = () => one(431)('headers: must be at most 32 KiB in total')
export const internalError = (requestId: string) => one(500)(`internal error; request id ${requestId}`)
const unavailableWith = (message: string) => new ApiError([{ httpcode: 503, message }], { 'retry-after': '1' })
export const unavailable = () => unavailableWith('service: temporarily unavailable; try again')
/** To a browser that fetches a page ahead of the person, who may never ask for it. */
export const prefetched = () => unavailableWith('page: is not given in advance; ask again when the person does')
/** The database became unavailable after a commit was sent. */
export const outcomeUnknown = () =>
  unavailableWith('service: temporarily unavailable; the change may have been made, so check before you try again')
/** Closes the connection: where this request ends is unknown (RFC 9112, 6.1). */
export const unknownTransferCoding = () =>
  new ApiError([{ httpcode: 501, message: 'Transfer-Encoding: must be chunked' }], { connection: 'close' })

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
