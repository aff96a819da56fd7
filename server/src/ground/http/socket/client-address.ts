import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { canonicalAddress } from '../../runtime/canonical-address.ts'

/** An entry of `X-Forwarded-For` need not be an address; then that of the proxy that forwarded it counts. Empty: the client has left. */
export const clientAddress = ({ ip, ips }: FastifyRequest): string =>
  canonicalAddress(ips?.findLast((address) => isIP(address) !== 0) ?? ip ?? '')

/** `203.0.113.7:5678`, `[2001:db8::7]:443` and `[2001:db8::7]`, as some proxies write them. */
const withPort = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/

/** A client's port differs from one connection to the next, so only the address counts. */
export function removeForwardedPorts(headers: IncomingHttpHeaders) {
  const forwarded = headers['x-forwarded-for']
  if (typeof forwarded !== 'string') return
  const addresses = forwarded.split(',').map((entry) => entry.trim().replace(withPort, '$1$2'))
  headers['x-forwarded-for'] = addresses.join(', ')
}
