/**
 * Takes back claims of this process whose answer was lost with the connection. PostgreSQL may have made them, or may yet. Nobody
 * would call what they took until a rescue after the end of their lease; nor would anything else be claimed of a lane that they
 * filled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { createBackoff } from './backoff.ts'
import type { LogLine } from './log-line.ts'
import { rescueDeliveries } from './rescue-store.ts'

/** Until the first look, and between two of them. */
const lookDelay = { initialMs: 50, maxMs: 5_000 }
/** Those of an outage are lost at its beginning: what comes beyond it is left to the rescue. */
const maxLost = 1_000

type LostClaim = { claim: string; leaseEnd: string }

type Dependencies = { database: Database; clock: Clock; log: { info: LogLine } }

export type LostClaims = ReturnType<typeof createLostClaims>

/** Calls `claimSoon` when lanes may be due. */
export function createLostClaims({ database, clock, log }: Dependencies, claimSoon: () => void) {
  const backoff = createBackoff(lookDelay)
  let lost: LostClaim[] = []
  let isLooking = false
  let isStopped = false

  const lookUntilNone = async () => {
    isLooking = true
    while (lost.length > 0) {
      await sleep(backoff.next(), undefined, { ref: false })
      // What cannot be taken back now is by the next look, or the rescue.
      await takeBack().catch(() => {})
      lost = lost.filter(({ leaseEnd }) => Date.parse(leaseEnd) > clock.now())
    }
    isLooking = false
  }

  const takeBack = async () => {
    const claims = lost.map(({ claim }) => claim)
    const rescued = await rescueDeliveries(database.write, { before: 'infinity', claims }, toTimestamp(clock.now()))
    if (rescued === 0) return
    log.info({ rescued }, 'deliveries taken back whose claim was not answered')
    claimSoon()
  }

  return {
    /** It is looked for until the end of its lease: it may be made after the first look. */
    add({ claim, leaseEnd }: LostClaim) {
      if (isStopped || lost.length === maxLost) return
      lost.push({ claim, leaseEnd })
      backoff.reset()
      if (!isLooking) void lookUntilNone()
    },
    stop() {
      isStopped = true
      lost = []
    },
  }
}
