import { promises as dns } from 'node:dns'
import { setTimeout } from 'node:timers/promises'
import { callError } from './call-error.ts'

/** The addresses of a host name, IPv4 first; at least one. Rejects with `name_not_found`. */
export type NameLookup = (hostname: string) => Promise<string[]>

/** Each try waits twice as long as the one before: a name whose servers are silent is given up after some 8 s. */
const firstTryMs = 1_000
const tries = 3
const otherFamilyMs = 50
/** The system's list of name servers is read anew this often, as it changes when a machine changes its network. */
const serversAreKnownForMs = 60_000

/**
 * Asks the name servers itself, over sockets, instead of `dns.lookup`, which the system answers in one of the four
 * threads that files and cryptography need as well: a few dozen names whose servers are silent would hold all of them
 * for minutes. So the machine's `hosts` file and search domains do not count; SIGNET_WEBHOOK_RESOLVE is for such names.
 *
 * Calls to one name share a lookup, so there are never more lookups than names that are being called.
 */
export function createNameLookup(servers?: string[]): NameLookup {
  const running = new Map<string, Promise<string[]>>()
  let resolver = new dns.Resolver({ timeout: firstTryMs, tries })
  let readAt = Number.NEGATIVE_INFINITY

  const renewResolver = () => {
    if (performance.now() - readAt < serversAreKnownForMs) return
    resolver = new dns.Resolver({ timeout: firstTryMs, tries })
    if (servers) resolver.setServers(servers)
    readAt = performance.now()
  }

  return (hostname) => {
    renewResolver()
    const lookup = running.get(hostname) ?? lookUp(resolver, hostname).finally(() => running.delete(hostname))
    running.set(hostname, lookup)
    return lookup
  }
}

/** As RFC 8305 has it: who has one family waits only a little for the other, which many names lack and some servers hide. */
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
