import type { ErrorCode, Errors } from './generated/types.gen.ts'
import { retryAfterMs } from './retry-after.ts'

type Refusal = Errors['errors'][number]

/** An operation that failed: the service refused it, or could not be reached. Never the end that a caller's own signal made. */
export class SignetError extends Error {
  override readonly name = 'SignetError'
  /** The HTTP status; undefined where no reply arrived. */
  readonly status: number | undefined
  /** One entry for each thing that is wrong; empty where the reply was not Signet's. */
  readonly errors: Refusal[]
  /** What never changes, unlike a message: the code of each of `errors`, in their order. A later Signet may know others. */
  readonly codes: (ErrorCode | (string & {}))[]
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined
  /** Somebody else than Signet answered: a proxy, or the page of a sign-in to the network. */
  readonly isForeign: boolean
  /** How long the service asked to wait before the next request, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(cause: unknown, reply?: Response) {
    const errors = refusalsIn(cause)
    super(errors.map(({ message }) => message).join('; ') || describe(cause, reply), { cause })
    // A browser hides the status of a redirect: it is 0.
    this.status = reply?.status || errors[0]?.httpcode
    this.errors = errors
    this.isForeign = reply !== undefined && errors.length === 0
    this.codes = reply?.headers.get('Signet-Error')?.split(', ') ?? codesIn(cause)
    this.requestId = reply?.headers.get('X-Request-Id') ?? undefined
    this.retryAfterMs = reply?.headers.has('Retry-After') ? retryAfterMs(reply.headers) : undefined
  }

  /** The same request may succeed later: nobody answered, or whoever did was unavailable or asked to wait. */
  get isTemporary(): boolean {
    if (this.status === 409) return this.retryAfterMs !== undefined
    return this.status === undefined || this.status >= 500 || [408, 425, 429].includes(this.status)
  }
}

/** What is not Signet's would be no better when it comes again. */
export function understood<Result>(reply: Response, read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    throw cause instanceof SignetError ? cause : new SignetError(cause, reply)
  }
}

/** A proxy in front of Signet has a form of its own, and may call something else `errors`. */
export function refusalsIn(body: unknown): Refusal[] {
  const errors: unknown = (body as Errors | undefined)?.errors
  return Array.isArray(errors) ? errors.filter((error) => typeof error?.message === 'string') : []
}

/** Of the last message of a stream, whose headers came before. */
function codesIn(body: unknown): string[] {
  const codes: unknown = (body as { codes?: unknown } | undefined)?.codes
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : []
}

function describe(cause: unknown, reply?: Response): string {
  if (reply && isRedirect(reply)) return 'the reply is a redirect, which is not followed: is `baseUrl` right?'
  if (reply) return `the reply has status ${reply.status} and is not Signet's`
  if (!(cause instanceof Error)) return 'the request failed'
  // Node says why in the cause alone.
  const inner = cause.cause as { message?: string; code?: string } | undefined
  const reason = inner?.message || inner?.code
  return reason ? `${cause.message}: ${reason}` : cause.message
}

const isRedirect = ({ type, status }: Response) => type === 'opaqueredirect' || (status >= 300 && status < 400)
