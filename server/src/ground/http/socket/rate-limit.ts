import { isIPv6 } from 'node:net'
import { tooManyRequests } from '../../errors.ts'
import { setBounded } from '../../runtime/bounded-map.ts'
import { canonicalAddress } from '../../runtime/canonical-address.ts'
import type { Clock } from '../../runtime/clock.ts'

/** Callers remembered at once; the one that is idle longest is forgotten first. */
const maxCallers = 100_000
/** An organization's rate is this many times that of one address, so that no single address can use it up. */
const addressesPerOrganization = 10

export type Rate = { perMinute: number; burst: number }

type Bucket = { tokens: number; at: number }

/**
 * A token bucket for each caller, in this process: `take(caller)` throws a 429 with `Retry-After` when it is empty.
 * A refused call takes no token.
 */
export function createRateLimit(clock: Clock, { perMinute, burst }: Rate) {
  const buckets = new Map<string, Bucket>()
  const perMs = perMinute / 60_000

  return {
    take(caller: string) {
      const now = clock.now()
      const { tokens: before, at } = buckets.get(caller) ?? { tokens: burst, at: now }
      const tokens = Math.min(burst, before + Math.max(0, now - at) * perMs)
      if (tokens < 1) throw tooManyRequests(Math.ceil((1 - tokens) / perMs / 1000))
      setBounded(buckets, caller, { tokens: tokens - 1, at: now }, maxCallers)
    },
  }
}

/** The rate limit of operations without a key; each `take` throws a 429 with `Retry-After`. */
export type CallerLimit = {
  /** Called before anything of the request is trusted or looked up. */
  takeAddress(address: string): void
  /** Only for an organization that exists: otherwise each made-up id would have a limit of its own. */
  takeOrganization(organizationId: string): void
}

/** `rate` is that of one address, for all organizations together. */
export function createCallerLimit(clock: Clock, rate: Rate): CallerLimit {
  const { perMinute, burst } = rate
  const addresses = createRateLimit(clock, rate)
  const organizations = createRateLimit(clock, {
    perMinute: perMinute * addressesPerOrganization,
    burst: burst * addressesPerOrganization,
  })
  return {
    takeAddress: (address) => addresses.take(callerAt(address)),
    takeOrganization: (organizationId) => organizations.take(organizationId.toLowerCase()),
  }
}

/** The key by which calls are counted: an IPv4 address, or the /64 of an IPv6 address, all of which a single host may have. */
export function callerAt(address: string): string {
  const canonical = canonicalAddress(address)
  return isIPv6(canonical) ? `${groupsOf(canonical).slice(0, 4).join(':')}::/64` : canonical
}

/** All eight groups. */
function groupsOf(canonical: string): string[] {
  const [left = '', right] = canonical.split('::')
  if (right === undefined) return left.split(':')
  const [before, after] = [left, right].map((half) => (half ? half.split(':') : [])) as [string[], string[]]
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
