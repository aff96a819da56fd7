/** Why there is no answer, in one word; the delivery log shows it. */
const requestErrors = [
  /** The deadline passed after the request was sent … */
  'timeout',
  /** … or before: while the name was looked up, the connection made, or TLS agreed on. */
  'connect_timeout',
  'connection_refused',
  'connection_reset',
  'name_not_found',
  'forbidden_address',
  /** Not one that the operator allows. */
  'forbidden_port',
  'bad_certificate',
  'tls_error',
  /** Not HTTP/1.1. */
  'bad_response',
  /** More came than is read. */
  'answer_too_large',
  'network_error',
  /** This process may open no more sockets: the receiver was not called. */
  'no_descriptors',
  /** The egress client was closed. */
  'stopped',
] as const

export type RequestError = (typeof requestErrors)[number]

/** An error that already has its word. */
export const requestError = (code: RequestError) => Object.assign(new Error(code), { code })

/** By the code of the error, as Node and OpenSSL give it; the first that fits. */
const words: [code: RegExp, word: RequestError][] = [
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED)$/, 'connection_reset'],
  [/^ETIMEDOUT$/, 'connect_timeout'],
  [/^(?:EPROTO|ERR_SSL_|ERR_TLS_)/, 'tls_error'],
  [/^E[MN]FILE$/, 'no_descriptors'],
]

export function toRequestError(error: Error): RequestError {
  const { code = '' } = error as NodeJS.ErrnoException
  return requestErrors.find((word) => word === code) ?? words.find(([fits]) => fits.test(code))?.[1] ?? 'network_error'
}

/**
 * The word that an organization is told. Which names of the operator's network exist is not its business, so a name that
 * leads to a private address is like one that leads nowhere; the operator's log tells them apart.
 */
export const toPublicError = (error: RequestError): RequestError =>
  error === 'forbidden_address' ? 'name_not_found' : error
