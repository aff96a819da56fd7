import { isLost, wasSent } from './pg-private.ts'

/** The SQLSTATE (five characters), or an error code of the operating system. */
export const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code

/** Whether `error` is the violation of that constraint (a unique key, a foreign key, a check). */
export const violates = (error: unknown, constraint: string): boolean =>
  (error as { constraint?: string } | undefined)?.constraint === constraint

/**
 * Classes 08 (connection), 53 (disk, memory or connections used up) and 58 (the system below), 57P01 to 57P03 (shut down, crashed or
 * starting), 25006 (read-only): the server cannot serve, whoever asks.
 */
const serverCodes = /^(?:08...|53...|58...|57P0[123]|25006)$/
/** Codes of the operating system for a server that cannot be reached. */
const systemCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT', 'EACCES', 'EMFILE', 'ENFILE'],
])
/**
 * Whether the database is unavailable, so that a later try may succeed: neither the statement nor Signet is at fault. The
 * connection cannot be used again.
 */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (code) return serverCodes.test(code) || systemCodes.has(code)
  return isLost(error)
}

/** Raised by `refuse_while_moving` of the migrations: the organization moves to another cell. */
export const isRefusedWhileMoving = (error: unknown): boolean => codeOf(error) === 'SG002'

/** Of `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03'

export const isDeadlock = (error: unknown): boolean => codeOf(error) === '40P01'

export const isMissingTable = (error: unknown): boolean => codeOf(error) === '42P01'

/** The server, the database or the role allows no further connection. */
export const isFull = (error: unknown): boolean => codeOf(error) === '53300'

/** Takes no writes: a standby, or set to read-only. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006'

/** The server does not let this role in, or not into this database. */
export const isRefused = (error: unknown): boolean => troubleOf(error).code === 'refused'

const uncertain = new WeakSet<object>()

/**
 * Marks an error after a commit was sent when its result is unknown. An error that the server reported for the statement
 * itself is certain: nothing was committed.
 */
export function markUncertain(error: unknown) {
  const code = codeOf(error)
  const isOfConnection = isUnavailable(error) && !/^(?:53|58|25)/.test(code ?? '')
  if (isOfConnection && wasSent(error) && typeof error === 'object' && error) uncertain.add(error)
}

export const mayBeCommitted = (error: unknown): boolean => uncertain.has(error as object)

/** PostgreSQL has answered with it, and has so taken back the whole transaction. Others leave it open whether that is committed. */
export const isRolledBack = (error: unknown): boolean =>
  /^(?=.*\d)[0-9A-Z]{5}$/.test(codeOf(error) ?? '') && !isUnavailable(error)

/** A code for people and monitors; the server's own message goes to the log. */
type Trouble = 'read_only' | 'full' | 'refused' | 'unreachable' | 'failing' | 'pool_exhausted'

/** Error code of Signet itself: all connections of this process are in use. */
export const poolExhausted = 'POOL_EXHAUSTED'

/** `sqlstate` is 08001 when the server was not reached. */
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
