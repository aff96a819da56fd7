/** Codes for a request without a response; the delivery log shows them. */
const requestErrors = [
  /** The deadline passed after the request was sent. */
  'timeout',
  /** The deadline passed during name look-up, connecting or the TLS handshake. */
  'connect_timeout',
  'connection_refused',
  'connection_reset',
  'name_not_found',
  'forbidden_address',
  /** Not among the ports that the operator allows. */
  'forbidden_port',
  'bad_certificate',
  'tls_error',
  /** Not HTTP/1.1. */
  'bad_response',
  /** More than `maxResponseBytes` was received. */
  'answer_too_large',
  'network_error',
  /** This process can open no more sockets; nothing was sent. */
  'no_descriptors',
  /** The egress client was closed. */
  'stopped',
] as const

export type RequestError = (typeof requestErrors)[number]

/** What `toPublicError` makes of them. */
export const publicErrors = requestErrors.filter((code) => code !== 'forbidden_address')

export const requestError = (code: RequestError) => Object.assign(new Error(code), { code })

/** For error codes of Node and OpenSSL; the first match counts. */
const codePatterns: [pattern: RegExp, code: RequestError][] = [
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED)$/, 'connection_reset'],
  [/^ETIMEDOUT$/, 'connect_timeout'],
  [/^(?:EPROTO|ERR_SSL_|ERR_TLS_)/, 'tls_error'],
  [/^E[MN]FILE$/, 'no_descriptors'],
]

export function toRequestError(error: Error): RequestError {
  const { code = '' } = error as NodeJS.ErrnoException
  return (
    requestErrors.find((known) => known === code) ??
    codePatterns.find(([pattern]) => pattern.test(code))?.[1] ??
    'network_error'
  )
}

/**
 * The code that an organization sees. It must not learn which names exist in the operator's network, so a name with a
 * private address is reported as not found; the operator's log has the real code.
 */
export const toPublicError = (error: RequestError): RequestError =>
  error === 'forbidden_address' ? 'name_not_found' : error
