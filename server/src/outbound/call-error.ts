import { errors } from 'undici'

/** Why there is no answer, in one word; the delivery log shows it. */
const callErrors = [
  /** The deadline passed after the request was sent … */
  'timeout',
  /** … or before: while the name was looked up, the connection made, or TLS agreed on. */
  'connect_timeout',
  'connection_refused',
  'connection_reset',
  'name_not_found',
  'forbidden_address',
  'bad_certificate',
  'tls_error',
  /** Not HTTP/1.1, or more headers than are read. */
  'bad_response',
  'network_error',
  /** The door was closed. */
  'stopped',
] as const

export type CallError = (typeof callErrors)[number]

/** An error that already has its word. */
export const callError = (code: CallError) => Object.assign(new Error(code), { code })

/** By the code of the error, as Node, OpenSSL and undici give it; the first that fits. */
const words: [code: RegExp, word: CallError][] = [
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/, 'connection_reset'],
  [/^ETIMEDOUT$/, 'connect_timeout'],
  [/^(?:EPROTO|ERR_SSL_|ERR_TLS_)/, 'tls_error'],
  [/^UND_ERR_(?:HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/, 'bad_response'],
  [/^UND_ERR_DESTROYED$/, 'stopped'],
]

export function toCallError(error: Error): CallError {
  if (isBadResponse(error)) return 'bad_response'
  const { code = '' } = error as NodeJS.ErrnoException
  return callErrors.find((word) => word === code) ?? words.find(([fits]) => fits.test(code))?.[1] ?? 'network_error'
}

/** What undici gives no code of its own: an answer that is not HTTP/1.1, and status 100 or 101, which nobody asked for. */
const isBadResponse = (error: Error): boolean =>
  error instanceof errors.HTTPParserError ||
  (error instanceof errors.SocketError && /^bad (?:response|upgrade)$/.test(error.message))
