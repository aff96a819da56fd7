import type { Database } from '../../../ground/database/database.ts'
import type { LogPosition } from '../../../ground/database/log-position.ts'
import type { Primary } from '../../../ground/database/primary.ts'
import { consistencyNotReached } from '../../../ground/errors.ts'
import { createTurns } from '../../../ground/runtime/turns.ts'
import { createReplayPoller } from './replay-poller.ts'

/** Waiting requests of one process. While a region is unavailable, each of them waits until its deadline. */
const maxRequests = 1_000
/** Waiting requests of one share; otherwise strangers who know an organization's id could use up `maxRequests`. */
const maxPerShare = 250

type Regions = {
  /**
   * Runs `work` and resolves to its result once every other region has replayed what it committed or, if it committed
   * nothing, everything committed before. Holds no connection while it waits. Throws what `work` throws, `unavailable` before
   * `work` when too many requests wait (in total, or of this `share`), and `consistencyNotReached` when `signal` aborts.
   */
  everywhere<Result>(share: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
  stop(): Promise<void>
}

type Dependencies = { database: Database; primary: Primary; others: string[] }

/** `others` are the names of the other regions, each the `application_name` of its standby. */
export function createRegions({ database, primary, others }: Dependencies): Regions {
  const poller = createReplayPoller(primary, others)
  const turns = createTurns({ total: () => maxRequests, perOrganization: () => maxPerShare, waiting: 0 })

  const replayed = (position: LogPosition | undefined, signal: AbortSignal) => {
    if (!position) throw consistencyNotReached()
    return poller.replayed(position, signal)
  }

  return {
    everywhere: (share, work, signal) =>
      turns.take(share, async () => {
        const { result, positions } = await database.withPositions(work)
        for (const position of positions) await replayed(position, signal)
        return result
      }),
    stop: poller.stop,
  }
}
