import { promises as dns } from 'node:dns'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Families } from './race-addresses.ts'
import { requestError, toRequestError } from './request-error.ts'

/** The addresses of a host name, IPv6 first. Rejects with `no_descriptors` where nobody could be asked for want of a socket. */
export type NameLookup = (hostname: string) => Families

/** Each try waits twice as long as the one before: a name whose servers are silent is given up after some 8 s. */
const firstTryMs = 1_000
const tries = 3
/** The system's list of name servers is read anew this often, as it changes when a machine changes its network. */
const serversAreKnownForMs = 60_000

/**
 * Asks the name servers itself, over sockets, instead of `dns.lookup`, which the system answers in one of the four
 * threads that files and cryptography need as well: a few dozen names whose servers are silent would hold all of them
 * for minutes. So the machine's `hosts` file and search domains do not count; SIGNET_WEBHOOK_RESOLVE is for such names.
 *
 * Those who ask for one name at the same time share the answer, so names bound the lookups, not calls.
 */
export function createNameLookup(servers?: string[]): NameLookup {
  const running = new Map<string, Families>()
  let resolver = makeResolver(servers)
  let madeAt = performance.now()

  return (hostname) => {
    const shared = running.get(hostname)
    if (shared) return shared
    if (performance.now() - madeAt > serversAreKnownForMs) {
      resolver = makeResolver(servers)
      madeAt = performance.now()
    }
    const families = [resolver.resolve6(hostname), resolver.resolve4(hostname)].map((family) => family.catch(explain))
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

/** None, for whatever reason. But the resolver says ECONNREFUSED of name servers that it had no socket to ask with, too. */
function explain(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ECONNREFUSED') refuseWithoutDescriptors()
  return []
}

function refuseWithoutDescriptors() {
  try {
    closeSync(openSync(devNull, 'r'))
  } catch (error) {
    if (toRequestError(error as Error) === 'no_descriptors') throw requestError('no_descriptors')
  }
}
