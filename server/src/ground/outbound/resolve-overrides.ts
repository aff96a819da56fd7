import { isIPv4, isIPv6 } from 'node:net'

/** From `host:port` to the addresses used instead of a look-up. */
export type ResolveOverrides = Map<string, string[]>

/** `receiver.test:8443:127.0.0.1` or `receiver.test:8443:[::1]`. */
const entryForm = /^([^:]+):([1-9]\d{0,4}):(?:\[([\da-f:.]+)\]|([\d.]+))$/i

/**
 * Like curl's `--resolve`: entries `host:port:address`, separated by commas, IPv6 in brackets. Several entries for one
 * host and port are several addresses. Hosts are stored as a URL writes them.
 */
export function parseResolveOverrides(text: string): { overrides: ResolveOverrides } | { problem: string } {
  const overrides: ResolveOverrides = new Map()
  for (const entry of text.split(',').map((part) => part.trim())) {
    const parsed = parseEntry(entry)
    if (!parsed) return { problem: `${entry || 'an empty entry'} is not host:port:address, with IPv6 in brackets` }
    overrides.set(parsed.target, [...(overrides.get(parsed.target) ?? []), parsed.address])
  }
  return { overrides }
}

export const overrideFor = (overrides: ResolveOverrides, { hostname, port }: URL): string[] | undefined =>
  overrides.get(`${hostname}:${port || 443}`)

function parseEntry(entry: string): { target: string; address: string } | undefined {
  const [, host = '', port = '', ipv6, ipv4] = entryForm.exec(entry) ?? []
  const address = ipv6 ?? ipv4 ?? ''
  const hostname = hostnameOf(host)
  const isAddress = ipv6 === undefined ? isIPv4(address) : isIPv6(address)
  return hostname && isAddress && Number(port) <= 65_535 ? { target: `${hostname}:${port}`, address } : undefined
}

/** Undefined when `host` is not a name: an override for an IP address would bypass the rule for addresses. */
function hostnameOf(host: string): string | undefined {
  const url = /[/?#\\@%\s]/.test(host) ? null : URL.parse(`https://${host}/`)
  return url && !isIPv4(url.hostname) ? url.hostname : undefined
}
