import { promises as dns } from 'node:dns'
import { setTimeout } from 'node:timers/promises'
import { callError } from './call-error.ts'

/** The addresses of a host name, IPv4 first; at least one. Rejects with `name_not_found`. */
export type NameLookup = (hostname: string) => Promise<string[]>

/** Each try waits twice as long as the one before: a name whose servers are silent is given up after some 8 s. */
const firstTryMs = 1_000
const tries = 3
/** Once one family is known, for the other: RFC 8305, section 3. Some servers never answer for it. */
const otherFamilyMs = 50
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
  const running = new Map<string, Promise<string[]>>()
  let resolver = makeResolver(servers)
  let madeAt = performance.now()

  return (hostname) => {
    const shared = running.get(hostname)
    if (shared) return shared
    if (performance.now() - madeAt > serversAreKnownForMs) {
      resolver = makeResolver(servers)
      madeAt = performance.now()
    }
    const lookup = lookUp(resolver, hostname).finally(() => running.delete(hostname))
    running.set(hostname, lookup)
    return lookup
  }
}

function makeResolver(servers: string[] | undefined): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: firstTryMs, tries })
  if (servers) resolver.setServers(servers)
  return resolver
}

async function lookUp(resolver: dns.Resolver, hostname: string): Promise<string[]> {
  const found: string[][] = []
  const questions = [resolver.resolve4(hostname), resolver.resolve6(hostname)].map(async (question, index) => {
    found[index] = await question
  })
  await Promise.any(questions).catch(() => {})
  await Promise.race([Promise.allSettled(questions), setTimeout(otherFamilyMs, undefined, { ref: false })])
  if (found.length === 0) throw callError('name_not_found')
  return found.flat()
}
