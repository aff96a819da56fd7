import { isIPv6 } from 'node:net'

/**
 * The one spelling of each address. An IPv4 address mapped into IPv6, as dual-stack sockets show it, is that IPv4 address; another
 * IPv6 address is written as RFC 5952 says, without a zone, which only names an interface of this machine. What is no address stays.
 */
export function canonicalAddress(address: string): string {
  const withoutZone = address.replace(/%.*$/s, '')
  if (!isIPv6(withoutZone)) return address
  const written = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(written) ?? []
  return high === undefined || low === undefined ? written : [high, low].flatMap(bytesOf).join('.')
}

function bytesOf(group: string): number[] {
  const number = Number.parseInt(group, 16)
  return [number >> 8, number & 0xff]
}
