import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** What stands in `X-Forwarded-For` need not be an address; then it is that of the proxy which passed it on. */
export const clientAddress = ({ ip, ips }: FastifyRequest): string =>
  ips?.findLast((address) => isIP(address) !== 0) ?? ip

/** `203.0.113.7:5678`, `[2001:db8::7]:443` and `[2001:db8::7]`, as some proxies write them. */
const withPort = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/

/** A client's port differs from connection to connection: it is the address that counts. */
export function removeForwardedPorts(headers: IncomingHttpHeaders) {
  const forwarded = headers['x-forwarded-for']
  if (typeof forwarded !== 'string') return
  const addresses = forwarded.split(',').map((entry) => entry.trim().replace(withPort, '$1$2'))
  headers['x-forwarded-for'] = addresses.join(', ')
}
