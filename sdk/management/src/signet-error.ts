import type { Errors } from './generated/types.gen.ts'

type Refusal = Errors['errors'][number]

/** An operation that failed: the service refused it, or could not be reached. */
export class SignetError extends Error {
  override readonly name = 'SignetError'
  /** The HTTP status; undefined where no reply arrived. */
  readonly status: number | undefined
  /** One entry for each thing that is wrong; empty where the reply was not Signet's. */
  readonly errors: Refusal[]
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined

  constructor(cause: unknown, reply?: Response) {
    const errors = refusalsIn(cause)
    super(errors.map(({ message }) => message).join('; ') || describe(cause, reply), { cause })
    this.status = reply?.status
    this.errors = errors
    this.requestId = reply?.headers.get('X-Request-Id') ?? undefined
  }
}

const refusalsIn = (cause: unknown): Refusal[] =>
  Array.isArray((cause as Errors | undefined)?.errors) ? (cause as Errors).errors : []

/** A proxy in front of Signet answers in its own form, and a connection may fail. */
function describe(cause: unknown, reply?: Response): string {
  if (reply) return `the reply has status ${reply.status} and is not Signet's`
  return cause instanceof Error ? cause.message : 'the request failed'
}
