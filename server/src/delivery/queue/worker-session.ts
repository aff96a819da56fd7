/**
 * The one database session by which other workers know that this one lives, and by which it learns what they do
 * (`docs/decisions/2026-11-21-processes-and-workers.md`). Without it the worker is suspended. Each worker looks whose session has
 * ended, and has what a dead one held taken back (`rescue.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { queriesOn } from '../../ground/database/ask.ts'
import type { Database } from '../../ground/database/database.ts'
import type { Primary, PrimaryConfig } from '../../ground/database/primary.ts'
import { createBackoff } from '../../ground/runtime/backoff.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { createSignal, type Signal } from '../../ground/runtime/signal.ts'
import type { FirstDue, LogLine } from './delivery.ts'
import { createWorkerRescue } from './rescue.ts'
import { deleteWorker, lookAtWorkers, registerWorker, type WorkerStatus } from './store/rescue.ts'

/** A worker that has lost its session is to register again well within `graceMs`. */
const reconnectDelay = { initialMs: 50, maxMs: 1_000 }
const connectMs = 3_000
const answerMs = 5_000
/** A session that no longer answers may take so long to end. */
const closeMs = 500
/** Between two looks at the other workers: at least, while a delivery is in flight, and otherwise. */
const lookMs = { soonest: 500, busy: 1_000, idle: 10_000 }
/** If a host vanishes without closing its connections, the other side notices within 15 s. */
const silentMs = 5_000
const keepalives = `
  set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 4; set tcp_user_timeout = 10000`

type Dependencies = {
  primary: Primary
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
  sweepSoon(): void
  /** Releases what it has not begun to send of that webhook or organization. */
  revoke(id: string): Promise<void>
  /** Claims nothing, releases what it has not begun to send, and begins no request, until it is resumed. */
  suspend(): void
  resume(): void
}

export function openWorkerSession({ primary, database, clock, workerId, worker, log }: Dependencies) {
  const rescueWorker = createWorkerRescue({ database, clock, log }, worker)
  const backoff = createBackoff(reconnectDelay)
  let isStopped = false
  let isLossLogged = false
  let client: pg.Client | undefined

  const keepRegistered = async () => {
    while (!isStopped) {
      await connect()
        .then((session) => (isStopped ? undefined : hold(session)))
        .catch(logLoss)
      worker.suspend()
      await close(client)
      await sleep(backoff.next(), undefined, { ref: false })
    }
  }

  const connect = async () => {
    client = undefined
    client = await primary.connect(watched)
    return client
  }

  /** Once, until a session is registered again. */
  const logLoss = (err: unknown) => {
    if (isStopped || isLossLogged) return
    isLossLogged = true
    log.error({ err }, 'lost the worker session; no requests are started until it is registered again')
  }

  /** Resolves when the session is to be replaced. Rejects when it ends or no longer answers. */
  const hold = async (session: pg.Client) => {
    const signal = createSignal(clock)
    const over = new AbortController()
    const { promise: ended, reject: end } = Promise.withResolvers<never>()
    ended.catch(() => over.abort()).finally(signal.give)
    session.on('error', end).on('end', () => end(new Error('the session has ended')))
    session.on('notification', ({ channel, payload = '' }) => {
      if (channel === 'signet_revoked') return void worker.revoke(payload)
      worker.claimSoon()
      // A dead worker may hold the lane that became due.
      signal.give()
    })
    await session.query(`${keepalives}; listen signet_due; listen signet_revoked`)
    await registerWorker(queriesOn(session), workerId)
    backoff.reset()
    isLossLogged = false
    worker.resume()
    // A restart of the database may have forgotten lanes that were woken just before it.
    worker.sweepSoon()
    await Promise.race([ended, watchOthers(session, signal, over.signal)])
  }

  const watchOthers = async (session: pg.Client, signal: Signal, over: AbortSignal) => {
    while (!over.aborted && !primary.isOutdated(session)) {
      signal.listen()
      const status = await lookAtWorkers(queriesOn(session), workerId)
      worker.claimAt(status.firstDue)
      for (const dead of status.missing.filter(({ leftMs }) => leftMs <= 0)) await rescueWorker(dead.id)
      await sleep(lookMs.soonest, undefined, { ref: false })
      await signal.sleep(untilNext(status) - lookMs.soonest)
    }
  }

  void keepRegistered()

  return {
    /** To be called once this worker holds nothing. If it cannot unregister, the others find it dead. */
    async stop() {
      isStopped = true
      if (client) await atMost(closeMs, deleteWorker(queriesOn(client), workerId, { isDead: false }))
      await close(client)
    },
  }
}

const watched: PrimaryConfig = {
  settings: { planning: 'queue', statementTimeoutMs: answerMs },
  keepAlive: true,
  keepAliveInitialDelayMillis: silentMs,
  connectionTimeoutMillis: connectMs,
  query_timeout: answerMs,
}

const close = (session: pg.Client | undefined) => atMost(closeMs, session?.end())

/** Never rejects. */
const atMost = (ms: number, work: Promise<unknown> | undefined) =>
  Promise.race([work?.catch(() => {}), sleep(ms, undefined, { ref: false })])

const untilNext = ({ missing, isBusy }: WorkerStatus) =>
  Math.min(isBusy ? lookMs.busy : lookMs.idle, ...missing.map(({ leftMs }) => Math.ceil(leftMs)))
