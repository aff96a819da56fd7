import { type Clock, toTimestamp } from '../clock.ts'
import { codeOf, type Database } from '../database/database.ts'
import { type Settlement, settleDeliveries } from './delivery-store.ts'

/** Settlements in one statement. */
const maxBatch = 200
/** Between tries when the database is away. The leases run out meanwhile; a settlement that comes late changes nothing. */
const retryDelay = { initialMs: 100, maxMs: 5_000 }

type Dependencies = {
  database: Database
  clock: Clock
  callsPerWebhook: number
  onError: (error: unknown) => void
}

/**
 * Writes settlements in batches: while one statement is under way the next batch gathers, so that batches grow with the
 * load and a single settlement waits for nobody. Each promise resolves once its settlement is committed.
 */
export function createSettler({ database, clock, callsPerWebhook, onError }: Dependencies) {
  let waiting: { settlement: Settlement; done: () => void }[] = []
  let writing = false

  const write = async () => {
    writing = true
    let size = maxBatch
    let delayMs = retryDelay.initialMs
    while (waiting.length > 0) {
      const batch = waiting.slice(0, size)
      const error = await writeBatch(batch.map((entry) => entry.settlement))
      const isLost = error !== undefined && size === 1 && isRefused(error)
      if (error === undefined || isLost) {
        waiting = waiting.slice(batch.length)
        for (const { done } of batch) done()
        size = maxBatch
        delayMs = retryDelay.initialMs
      } else {
        onError(error)
        if (isRefused(error)) size = Math.ceil(batch.length / 2)
        else await new Promise((resolve) => setTimeout(resolve, delayMs))
        delayMs = Math.min(delayMs * 2, retryDelay.maxMs)
      }
    }
    writing = false
  }

  const writeBatch = (settlements: Settlement[]) =>
    settleDeliveries(database.write, settlements, toTimestamp(clock.now()), callsPerWebhook).then(
      () => undefined,
      (error: unknown) => error,
    )

  return {
    /** Bounded by the calls in flight, each of which settles once. */
    settle: (settlement: Settlement) =>
      new Promise<void>((resolve) => {
        waiting.push({ settlement, done: resolve })
        if (!writing) void write()
      }),
  }
}

/**
 * Class 22 or 23: PostgreSQL will not take this row, however often it is asked. The batch is halved until the row is
 * alone; its lease then runs out and the rescue takes it back, so one bad row holds up nobody.
 */
const isRefused = (error: unknown) => /^2[23]/.test(codeOf(error) ?? '')
