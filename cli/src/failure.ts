import { SignetError } from '@signet/management'

/** Documented in docs/reference/command-line.md. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** The command line or a setting is wrong. */
  usage: 2,
  /** The key is not valid, or does not allow it. */
  refused: 3,
  /** The service does not answer, or cannot at present. */
  unavailable: 4,
  /** `apply --dry-run` found changes. */
  pending: 5,
  interrupted: 130,
} as const

/** What ends a command with a message and a code of its own. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

export type Failure = { message: string; exitCode: number }

/** One line that says what to do; never a stack, and never a key. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof SignetError) return describeRefusal(error)
  const { message, exitCode = exitCodes.failed } = error as Partial<Failure>
  return { message: message || String(error), exitCode }
}

function describeRefusal({ status, codes, message, requestId, cause, isTemporary }: SignetError): Failure {
  const about = requestId ? ` (request ${requestId})` : ''
  if (status === 401) return { message: `${message}. ${keyHint}`, exitCode: exitCodes.refused }
  if (status === 403) return { message: `${message}${about}`, exitCode: exitCodes.refused }
  if (codes.includes('unknown_path')) return { message: `${message}. ${urlHint}`, exitCode: exitCodes.failed }
  if (status === undefined)
    return { message: `${reasonOf(cause, message)}. ${addressHint}`, exitCode: exitCodes.unavailable }
  if (status >= 300 && status < 400)
    return { message: `the reply is a redirect, which is not followed. ${urlHint}`, exitCode: exitCodes.failed }
  return { message: `${message}${about}`, exitCode: isTemporary ? exitCodes.unavailable : exitCodes.failed }
}

const keyHint = 'Check --organization and --api-key, or SIGNET_ORGANIZATION_ID and SIGNET_API_KEY'
const urlHint = 'Give the address of the service itself with --url or SIGNET_URL, without a path of its pages'
export const addressHint = 'Is Signet running there? Give its address with --url or SIGNET_URL'

/** A field that an option has filled is named by the option. */
export function namingOptions(error: unknown, options: Record<string, string>): unknown {
  if (!(error instanceof SignetError) || error.status !== 400) return error
  const [, field = '', rule = ''] = /^(\w+): (.*)/s.exec(error.message) ?? []
  return options[field] ? new CommandError(`${options[field]}: ${rule}`, exitCodes.usage) : error
}

/** `fetch` says only that it failed, and the reason in its cause. */
export function reasonOf(error: unknown, otherwise = String(error)): string {
  const inner = (error as Error | undefined)?.cause ?? error
  const { code, message } = (inner ?? {}) as { code?: string; message?: string }
  return message || code || otherwise
}
