import type { IncomingMessage } from 'node:http'
import { badRequest, unknownExpectation, unknownTransferCoding } from '../../errors.ts'

/** If one of these comes twice, Node takes the first, or joins both. */
const onceOnly = new Set([
  ...['host', 'content-type', 'authorization', 'origin', 'expect'],
  ...['service-orgid', 'service-api-key', 'service-operator-key', 'service-correlation-id'],
])

/** A name or an address, with or without a port; empty where the request target has none (RFC 9112, 3.2). */
const hostForm = /^[^\s/\\?#@,]*$/

/** Throws an `ApiError` for requests that RFC 9110 and 9112 forbid and Node's parser accepts. */
export function requireWellFormed({ headers, rawHeaders, httpVersion }: IncomingMessage) {
  const twice = namesGivenTwice(rawHeaders)
  if (twice.length > 0) throw badRequest('given_twice', ...twice.map((name) => `${name}: must be given once`))
  if (headers.host === undefined && httpVersion === '1.1') throw badRequest('required', 'Host: is required')
  if (!hostForm.test(headers.host ?? ''))
    throw badRequest('malformed_request', 'Host: must be a host, perhaps with a port')
  requireKnownFraming(headers['transfer-encoding'], httpVersion)
  if (headers.expect !== undefined && httpVersion === '1.1' && !/^100-continue$/i.test(headers.expect))
    throw unknownExpectation()
}

/** RFC 9112, 6.1: HTTP/1.0 has no transfer codings, and the end of a body in an unknown coding is unknown. */
function requireKnownFraming(coding: string | undefined, httpVersion: string) {
  if (coding === undefined) return
  if (httpVersion !== '1.1' || !/^chunked$/i.test(coding)) throw unknownTransferCoding()
}

/** In the client's own spelling. */
function namesGivenTwice(rawHeaders: string[]): string[] {
  const seen = new Set<string>()
  const twice = new Map<string, string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const written = rawHeaders[index] ?? ''
    const name = written.toLowerCase()
    if (!onceOnly.has(name)) continue
    if (seen.has(name)) twice.set(name, written)
    seen.add(name)
  }
  return [...twice.values()]
}
