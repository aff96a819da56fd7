import type { Database } from '../database/database.ts'
import type { LogPosition } from '../database/log-position.ts'
import type { Primary } from '../database/primary.ts'
import { consistencyNotReached, unavailable } from '../errors.ts'
import { createCounter } from '../runtime/counter.ts'
import { createReplayPoller } from './replay-poller.ts'

/** Requests of one process that ask for all regions at once. A region that is away holds up each of them for long. */
const maxRequests = 1_000
/** Of those, so many may be in one share: else strangers who know an organization's id would take all of them from everybody. */
const maxOfShare = 250

type Regions = {
  /**
   * Runs `work`, and gives its result once every other region has replayed what it committed; where that is nothing, all
   * that was committed before. No connection is held while waiting. Throws what `work` throws, `unavailable` before it
   * when too many wait already, in all or of this `share`, and `consistencyNotReached` when `signal` ends the waiting.
   */
  everywhere<Result>(share: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
  stop(): Promise<void>
}

type Dependencies = { database: Database; primary: Primary; others: string[] }

/** `others`: the names of the other regions, each that of its standby (`application_name`). */
export function createRegions({ database, primary, others }: Dependencies): Regions {
  const poller = createReplayPoller(primary, others)
  const requests = createCounter()

  const replayed = (position: LogPosition | undefined, signal: AbortSignal) => {
    if (!position) throw consistencyNotReached()
    return poller.replayed(position, signal)
  }

  return {
    everywhere: async (share, work, signal) => {
      if (requests.total() === maxRequests || requests.of(share) === maxOfShare) throw unavailable()
      requests.add(share)
      try {
        const { result, positions } = await database.withPositions(work)
        for (const position of positions) await replayed(position, signal)
        return result
      } finally {
        requests.remove(share)
      }
    },
    stop: poller.stop,
  }
}
