import { BlockList, isIP } from 'node:net'
import { canonicalAddress } from '../runtime/canonical-address.ts'

/** The allocated part of IPv6. The rest is loopback, mapped or translated IPv4, local, multicast or unassigned. */
const globalIpv6 = ['2000::/3']

/** Special (IANA's registries), multicast or reserved, in IPv4 and in the global part of IPv6. */
const special = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]

/**
 * Cloud services outside those ranges that are reachable only from within the cloud: Azure's host (agent, health probes,
 * name server) and IBM's service networks.
 */
const cloudInternal = ['168.63.129.16', '161.26.0.0/16', '166.8.0.0/14']

/** Whether a request may go to this address. */
export type AddressRule = (address: string) => boolean

/** Whether an address, in whatever spelling, is in `cidrs` (from `parseCidrs`). */
export function createAddressSet(cidrs: string[]): AddressRule {
  const list = toBlockList(cidrs)
  return (address) => {
    const canonical = canonicalAddress(address)
    const family = isIP(canonical)
    return family !== 0 && list.check(canonical, nameOf(family))
  }
}

/**
 * Allows public addresses and those in `allowCidrs` (from `parseCidrs`; an IPv4 range also covers its mapped addresses).
 * Refuses anything else, and an address with a zone (`fe80::1%eth0`), which no public one has.
 */
export function createAddressRule(allowCidrs: string[]): AddressRule {
  const allowed = toBlockList(allowCidrs)
  const global = toBlockList(globalIpv6)
  const refused = toBlockList([...special, ...cloudInternal])
  return (address) => {
    const family = isIP(address)
    if (family === 0 || address.includes('%')) return false
    const isIn = (list: BlockList) => list.check(address, nameOf(family))
    return isIn(allowed) || ((family === 4 || isIn(global)) && !isIn(refused))
  }
}

/** A setting: ranges in CIDR notation or single addresses, separated by commas. */
export function parseCidrs(text: string): { cidrs: string[] } | { problem: string } {
  const cidrs = text.split(',').map((entry) => entry.trim())
  const wrong = cidrs.find((entry) => !isCidr(entry))
  return wrong === undefined ? { cidrs } : { problem: `${wrong || 'an empty entry'} is not an address or CIDR` }
}

function isCidr(entry: string): boolean {
  const [, address = '', prefix] = /^([\d.a-f:]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(entry) ?? []
  const family = isIP(address)
  return family !== 0 && Number(prefix ?? 0) <= bitsOf(family)
}

function toBlockList(cidrs: string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/')
    const family = isIP(address)
    list.addSubnet(address, Number(prefix ?? bitsOf(family)), nameOf(family))
  }
  return list
}

const bitsOf = (family: number) => (family === 4 ? 32 : 128)
const nameOf = (family: number) => (family === 4 ? 'ipv4' : 'ipv6')
