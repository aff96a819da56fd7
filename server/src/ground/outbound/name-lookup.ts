import { promises as dns } from 'node:dns'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Families } from './race-addresses.ts'
import { requestError, toRequestError } from './request-error.ts'

/** The addresses of a host name, IPv6 first. Rejects with `no_descriptors` when no socket was free for the query. */
export type NameLookup = (hostname: string) => Families

/** Each try waits twice as long as the one before: a silent name server is given up after about 8 s. */
const firstTryMs = 1_000
const tries = 3
/** How long the system's list of name servers is cached: it changes with the machine's network. */
const serversTtlMs = 60_000

/**
 * Queries the name servers over sockets. `dns.lookup` would occupy one of the four threads that files and cryptography
 * need as well: a few dozen names with silent servers would block all four for minutes. The machine's `hosts` file and
 * search domains are therefore not used; SIGNET_WEBHOOK_RESOLVE is for such names.
 *
 * Concurrent look-ups of one name share one query, so that there are at most as many queries as names.
 */
export function createNameLookup(servers?: string[]): NameLookup {
  const running = new Map<string, Families>()
  let resolver = makeResolver(servers)
  let madeAt = performance.now()

  return (hostname) => {
    const shared = running.get(hostname)
    if (shared) return shared
    if (performance.now() - madeAt > serversTtlMs) {
      resolver = makeResolver(servers)
      madeAt = performance.now()
    }
    const families = [resolver.resolve6(hostname), resolver.resolve4(hostname)].map((family) =>
      family.catch(noAddresses),
    )
    running.set(hostname, families)
    void Promise.allSettled(families).then(() => running.delete(hostname))
    return families
  }
}

function makeResolver(servers: string[] | undefined): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: firstTryMs, tries })
  if (servers) resolver.setServers(servers)
  return resolver
}

/** No addresses, whatever the reason, except that the resolver also reports ECONNREFUSED when no socket was free. */
function noAddresses(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ECONNREFUSED') throwIfNoDescriptors()
  return []
}

function throwIfNoDescriptors() {
  try {
    closeSync(openSync(devNull, 'r'))
  } catch (error) {
    if (toRequestError(error as Error) === 'no_descriptors') throw requestError('no_descriptors')
  }
}
