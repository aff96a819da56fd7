import { countDeliveries, pauseAllLanes, queueAllUnqueued } from '../../../delivery/queue/index.ts'
import type { Transaction } from '../../../ground/database/database.ts'
import { endHistoryAt } from '../../../ground/positions/index.ts'

export type Detached = { webhooks_paused: number; deliveries_waiting: number }

type Options = {
  /** Null where the source has drawn no position. */
  lastPosition: number | null
  /** Leaves the webhooks as they were. */
  deliver: boolean
}

/**
 * The last step of a copy and of a restore. Readers of events may know some that the source published later: their cursors name a
 * history that this database does not have. And what waits for delivery, the source delivers too.
 */
export async function detachFromSource(tx: Transaction, { lastPosition, deliver }: Options): Promise<Detached> {
  if (lastPosition !== null) await endHistoryAt(tx, lastPosition)
  await queueAllUnqueued(tx)
  const webhooks_paused = deliver ? 0 : await pauseAllLanes(tx)
  return { webhooks_paused, deliveries_waiting: await countDeliveries(tx) }
}
