/**
 * What a worker holds in the session of its process: its registration, by which other workers know that it lives
 * (`docs/decisions/2026-11-21-processes-and-workers.md`). Without it the worker is suspended. Each worker looks whose session has
 * ended, and has what a dead one held taken back (`rescue.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Queries } from '../../ground/database/database.ts'
import type { Notifications } from '../../ground/database/notifications.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { createSignal, type Signal } from '../../ground/runtime/signal.ts'
import type { FirstDue, LogLine } from './delivery.ts'
import { createWorkerRescue } from './rescue.ts'
import { deleteWorker, lookAtWorkers, registerWorker, type WorkerStatus } from './store/rescue.ts'

/** Between two looks at the other workers: at least, while a delivery is in flight, and otherwise. */
const lookMs = { soonest: 500, busy: 1_000, idle: 10_000 }

type Dependencies = {
  notifications: Notifications
  /** For taking back deliveries, which may be many. */
  database: Database
  clock: Clock
  workerId: string
  worker: SessionWorker
  log: { info: LogLine; error: LogLine }
}

/** What the session tells its worker. */
export type SessionWorker = {
  /** Any lane may have become due. */
  claimSoon(): void
  /** Lanes of each kind that it may claim from are due then. */
  claimAt(first: FirstDue): void
  /** A delivery is to be tried out of its order. */
  trySoon(): void
  sweepSoon(): void
  /** Releases what it has not begun to send of that webhook or organization. */
  revoke(id: string): Promise<void>
  /**
   * Claims nothing, releases what it has not begun to send, and begins no request, until it is resumed. With an error where there can
   * be no session at present.
   */
  suspend(error?: unknown): void
  resume(): void
}

/** `stop` is to be called once this worker holds nothing. If it cannot unregister, the others find it dead. */
export function openWorkerSession({ notifications, database, clock, workerId, worker, log }: Dependencies) {
  const rescueWorker = createWorkerRescue({ database, clock, log }, worker)
  let looks: Signal | undefined
  let isLossLogged = false

  const register = async (session: Queries) => {
    await registerWorker(session, workerId)
    isLossLogged = false
    worker.resume()
    // A restart of the database may have forgotten lanes that were woken just before it.
    worker.sweepSoon()
  }

  const watchOthers = async (session: Queries, over: AbortSignal) => {
    const signal = createSignal(clock)
    looks = signal
    over.addEventListener('abort', signal.give)
    while (!over.aborted) {
      signal.listen()
      const status = await lookAtWorkers(session, workerId)
      worker.claimAt(status.firstDue)
      for (const dead of status.missing.filter(({ leftMs }) => leftMs <= 0)) await rescueWorker(dead.id)
      await sleep(lookMs.soonest, undefined, { ref: false })
      await signal.sleep(untilNext(status) - lookMs.soonest)
    }
  }

  /** Logged once, until a session is registered again. */
  const lose = (err?: unknown) => {
    worker.suspend(err)
    if (err === undefined || isLossLogged) return
    isLossLogged = true
    log.error({ err }, 'lost the worker session; no requests are started until it is registered again')
  }

  return notifications.listen({
    channels: {
      signet_due: () => {
        worker.claimSoon()
        // A dead worker may hold the lane that became due.
        looks?.give()
      },
      signet_revoked: (id) => void worker.revoke(id),
      signet_tried: worker.trySoon,
    },
    begin: register,
    stay: watchOthers,
    lost: lose,
    leave: (session) => deleteWorker(session, workerId, { isDead: false }),
  })
}

const untilNext = ({ missing, isBusy }: WorkerStatus) =>
  Math.min(isBusy ? lookMs.busy : lookMs.idle, ...missing.map(({ leftMs }) => Math.ceil(leftMs)))
