/**
 * How many connections to the database each part of a process may have. What the server, the role and the database allow is divided
 * by the processes that live, and the share of this one by the table below, so that no part can take what another needs.
 */

import { type Allotment, allot, leastOf, mostOf, type Wish } from '../ground/database/allotment.ts'
import { type ConnectionLimits, readConnectionLimits } from '../ground/database/connection-limits.ts'
import type { Queries } from '../ground/database/database.ts'
import type { Primary } from '../ground/database/primary.ts'
import { runEvery } from '../ground/runtime/interval.ts'
import type { Config } from './config.ts'

/** A process that starts where others have everything waits for this, for a minute unless SIGNET_DATABASE_WAIT says otherwise. */
const lookEveryMs = 30_000

type Settings = Pick<Config, 'roles' | 'databaseConnections' | 'otherRegions'>

/** In the order in which they are served. */
export function wishesOf({ roles, databaseConnections, otherRegions }: Settings, { isAlone }: { isAlone: boolean }) {
  const one = { least: 1, most: 1 }
  const none = { least: 0, most: 0 }
  const ifAny = (isWished: boolean, wish: Wish) => (isWished ? wish : none)
  return {
    /** By which other workers know that this one lives, and by which it hears of the others; without it nothing is delivered. */
    session: ifAny(roles.worker && !isAlone, one),
    /** Two dispatchers, settlements, and one shared by the sweep, orphaned leases, announcements and retention. */
    delivery: { least: 2, most: 4 },
    /** Short reads, all on one. */
    reads: one,
    requests: { least: 2, most: databaseConnections },
    lists: { least: 1, most: 4 },
    regions: ifAny(otherRegions.length > 0, one),
    /** The probe of `/readyz` and the look where the address leads, which come and go; and room for a command, or a process that starts. */
    probes: { least: 1, most: 2 },
    /** Without one of its own, delivery reads on those above. */
    deliveryReads: { least: 0, most: 1 },
    /** Where there is no worker. Without it, event streams learn of other processes' events by their next look. */
    announcements: ifAny(roles.api && !roles.worker && !isAlone, { least: 0, most: 1 }),
    /** Without one of their own, event streams read on those of lists. */
    streams: ifAny(roles.api, { least: 0, most: 4 }),
  } satisfies Record<string, Wish>
}

type Wishes = ReturnType<typeof wishesOf>
export type Connections = Allotment<keyof Wishes & string>

type Dependencies = {
  read: Queries
  primary: Primary
  wishes: Wishes
  /** Called at once, and after each look: a pool that was refused a connection may try again. */
  apply: (connections: Connections) => void
  log: { warn(fields: object, message: string): void }
  onError: (error: unknown) => void
}

/** Throws one readable line where this process cannot have what it needs. */
export async function allotConnections({ read, primary, wishes, apply, log, onError }: Dependencies) {
  const readShare = async () => {
    const limits = await readConnectionLimits(read)
    return { limits, total: Math.min(shareOf(limits), mostOf(wishes)) }
  }
  const { limits, total: first } = await readShare()
  if (first < leastOf(wishes)) throw new Error(`database: ${tooFew(limits, wishes)}`)
  let total = 0
  const change = (next: number) => {
    total = next
    apply(allot(wishes, total))
  }
  change(first)
  // Whatever the limits say, there are no more than those that are open: the parts that come first get theirs from the others.
  primary.onFull(() => change(Math.max(leastOf(wishes), Math.min(total, primary.openCount()))))
  const look = async () => {
    const before = total
    const { limits, total: share } = await readShare()
    change(Math.max(leastOf(wishes), share))
    if (share < before) log.warn({ connections: total }, `fewer connections to the database: ${describe(limits)}`)
  }
  const looking = runEvery(lookEveryMs, look, onError)
  return { line: startLine(limits, total, wishes), stop: looking.stop }
}

const shareOf = ({ available, processes }: ConnectionLimits) => Math.floor(available / Math.max(1, processes))

const describe = ({ limit, others, processes }: ConnectionLimits) =>
  `${limit}${others > 0 ? `, of which others have ${others}` : ''}${processes > 1 ? `, for ${processes} processes` : ''}`

const tooFew = (limits: ConnectionLimits, wishes: Wishes) =>
  `this process needs ${leastOf(wishes)} connections, and its share is ${shareOf(limits)}: ${describe(limits)}`

function startLine(limits: ConnectionLimits, total: number, wishes: Wishes): string {
  if (total === mostOf(wishes)) return `Connections to the database: up to ${total}`
  const { delivery, requests, lists, streams } = allot(wishes, total)
  const parts = `${delivery} for delivery, ${requests} for requests, ${lists} for lists, ${streams} for event streams`
  return `Connections to the database: up to ${total} of the ${mostOf(wishes)} that it can use (${parts}); ${describe(limits)}`
}
