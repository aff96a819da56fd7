/**
 * The closed list of errors that a caller can be told. Nothing else reaches an answer: whatever is thrown and is not
 * an `ApiError` becomes a 500 with a request id.
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
/** One answer for every way a key can be wrong, so that nothing can be learned from it. */
export const keyNotValid = () => one(401)('Service-API-Key: is not valid for this organization')
/** For whoever has the key itself, which is nobody who guesses. */
export const keyExpired = () => one(401)('Service-API-Key: has expired')
export const operatorKeyNotValid = () => one(401)('Service-Operator-Key: is not valid')
/** A bearer token was given (RFC 6750). */
export const invalidIdToken = () =>
  new ApiError(
    [{ httpcode: 401, message: 'Authorization: must be a valid ID token of this organization, as Bearer, or absent' }],
    { 'www-authenticate': 'Bearer error="invalid_token"' },
  )
export const tierLimitReached = one(402)
export const foreignOrigin = () => one(403)('Origin: must be that of a redirect URI of an application')
export const readOnlyKey = () => one(403)('Service-API-Key: this key is read-only')
/** What belongs to another organization is not found either. */
export const notFound = (what: string) => one(404)(`${what}: not found`)
export const noSuchRoute = () => one(404)('path: no such operation')
export const closingSlash = (path: string) =>
  one(404)(`path: no such operation; without the closing slash there is ${path}`)
export const methodNotAllowed = (allow: string[]) =>
  new ApiError([{ httpcode: 405, message: `method: this path takes ${allow.join(', ')}` }], { allow: allow.join(', ') })
export const consistencyNotReached = () =>
  one(408)('Service-Required-Consistency-Timeout: not reached in time; the request may still be handled')
export const requestTooSlow = () => one(408)('request: not received in time')
export const conflict = each(409)
export const bodyTooLarge = (limit: string) => one(413)(`body: must be at most ${limit}`)
export const wrongContentType = () => one(415)('Content-Type: must be application/json')
export const wrongCharset = () => one(415)('Content-Type: charset must be utf-8')
/** RFC 9110, 10.1.1. */
export const unknownExpectation = () => one(417)('Expect: must be 100-continue')
export const tooManyRequests = (retryAfterSeconds: number) =>
  new ApiError([{ httpcode: 429, message: `rate limit: is reached, retry after ${retryAfterSeconds} s` }], {
    'retry-after': String(retryAfterSeconds),
  })
export const headersTooLarge = () => one(431)('headers: must be at most 32 KiB in all')
export const internalError = (requestId: string) => one(500)(`internal error, request id ${requestId}`)
const away = (message: string) => new ApiError([{ httpcode: 503, message }], { 'retry-after': '1' })
export const unavailable = () => away('service: temporarily unavailable, try again')
/** The database went away after a commit was sent. */
export const outcomeUnknown = () =>
  away('service: temporarily unavailable; the change may have been made, so look before you try again')
/** The connection cannot be used for another request: nobody knows where this one ends (RFC 9112, 6.1). */
export const unknownTransferCoding = () =>
  new ApiError([{ httpcode: 501, message: 'Transfer-Encoding: must be chunked' }], { connection: 'close' })
