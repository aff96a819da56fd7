/** Five characters, as PostgreSQL's manual lists them; or the operating system's word. */
export const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code

/** Whether `error` is the violation of that constraint (a unique key, a foreign key, a check). */
export const violates = (error: unknown, constraint: string): boolean =>
  (error as { constraint?: string } | undefined)?.constraint === constraint

/**
 * Classes 08 (connection), 53 (disk, memory or connections used up) and 58 (the system below), 57P01 to 57P03 (shut down, crashed or
 * starting), 25006 (read-only): the server cannot serve, whoever asks.
 */
const serverCodes = /^(?:08...|53...|58...|57P0[123]|25006)$/
/** There is no connection to it. */
const systemCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT', 'EACCES', 'EMFILE', 'ENFILE'],
])
/** The driver has no code for a connection that is lost or says nothing. */
const driverMessages =
  /^(?:Connection terminated|Client (?:has encountered a connection error|was closed)|Query read timeout|timeout exceeded|timeout expired)/

/**
 * Whether the database is away, and a later try may succeed: not a fault of the statement, nor of Signet. The connection is of no
 * further use.
 */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (code) return serverCodes.test(code) || systemCodes.has(code)
  return error instanceof Error && driverMessages.test(error.message)
}

/** Takes no writes: a standby, or set to read-only. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006'

const uncertain = new WeakSet<object>()

/**
 * Marks an error that came after a commit was sent, where nobody knows whether it was made. Of an error that the server gave for
 * a statement that failed, everybody knows.
 */
export function markUncertain(error: unknown) {
  const code = codeOf(error)
  const isOfConnection = isUnavailable(error) && !/^(?:53|58|25)/.test(code ?? '')
  // Nothing was sent on a connection that was known to be lost.
  const wasSent = !/^Client (?:has encountered|was closed)/.test((error as Error).message)
  if (isOfConnection && wasSent && typeof error === 'object' && error) uncertain.add(error)
}

export const mayBeCommitted = (error: unknown): boolean => uncertain.has(error as object)

/** One word for people and monitors, from a closed list; the server's own message is for the log. */
export type Trouble = 'read_only' | 'full' | 'refused' | 'unreachable' | 'failing' | 'pool_exhausted'

/** The code of an error of our own: this process has no connection free, whatever the server has. */
export const poolExhausted = 'POOL_EXHAUSTED'

/** By the SQLSTATE; where the server was not reached, 08001. */
export function troubleOf(error: unknown): { code: Trouble; sqlstate: string } {
  const code = codeOf(error) ?? ''
  if (code === poolExhausted) return { code: 'pool_exhausted', sqlstate: '' }
  const sqlstate = /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : '08001'
  return { code: troubleCodeFor(sqlstate), sqlstate }
}

const troubleCodes: [sqlstates: RegExp, code: Trouble][] = [
  [/^25006$/, 'read_only'],
  [/^53/, 'full'],
  [/^(?:28|3D|42501|08P01|55000)/, 'refused'],
  [/^(?:08|57P0[123])/, 'unreachable'],
]

const troubleCodeFor = (sqlstate: string): Trouble =>
  troubleCodes.find(([sqlstates]) => sqlstates.test(sqlstate))?.[1] ?? 'failing'
