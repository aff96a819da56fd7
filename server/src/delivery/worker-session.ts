/**
 * The one session of the database by which other processes know that this one lives, and by which it hears of them
 * (`docs/decisions/2026-11-25-a-worker-has-a-session.md`). Without it the worker is suspended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Clock, toTimestamp } from '../clock.ts'
import { ask } from '../database/ask.ts'
import type { Database, Queries } from '../database/database.ts'
import type { Primary } from '../database/primary.ts'
import { createBackoff } from './backoff.ts'
import { createBell } from './bell.ts'
import type { LogLine } from './log-line.ts'
import { rescueDeliveries } from './rescue-store.ts'
import type { Worker } from './worker.ts'
import { forgetLost, type Look, lookAtWorkers, registerWorker, unregisterWorker } from './worker-session-store.ts'

/** A process that has lost its session is to register again well within its five seconds. */
const reconnectDelay = { initialMs: 50, maxMs: 1_000 }
const connectMs = 3_000
const answerMs = 5_000
/** For a session to end that may not answer any more. */
const closeMs = 500
/** From one look to the next: after an announcement at the soonest, while something is in flight, and else. */
const lookMs = { soonest: 500, busy: 1_000, idle: 10_000 }
/** A host that is gone without a word is noticed within 15 s, by either side. */
const silentMs = 5_000
const keepalives = `
  set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 4; set tcp_user_timeout = 10000`

type Dependencies = {
  primary: Primary
  /** For what is given back, of which there may be much. */
  database: Database
  clock: Clock
  /** Names this worker. */
  owner: string
  worker: Pick<Worker, 'claimSoon' | 'claimAt' | 'sweepSoon' | 'recall' | 'suspend' | 'resume'>
  log: { info: LogLine; error: LogLine }
}

export function openWorkerSession({ primary, database, clock, owner, worker, log }: Dependencies) {
  const backoff = createBackoff(reconnectDelay)
  let isStopped = false
  let isLossTold = false
  let client: pg.Client | undefined

  const keep = async () => {
    while (!isStopped) {
      await connect().then(hold).catch(tellLoss)
      worker.suspend()
      await close(client)
      await sleep(backoff.next(), undefined, { ref: false })
    }
  }

  const connect = async () => {
    client = undefined
    client = await primary.connect({ planning: 'queue', statementTimeoutMs: answerMs }, watched)
    return client
  }

  /** Once, until there is another one. */
  const tellLoss = (err: unknown) => {
    if (isStopped || isLossTold) return
    isLossTold = true
    log.error({ err }, 'no call is begun until this process has a session of the database again')
  }

  /** Until the session is to be replaced. Rejects when it ends, or does not answer any more. */
  const hold = async (session: pg.Client) => {
    const bell = createBell(clock)
    const over = new AbortController()
    const { promise: ended, reject: end } = Promise.withResolvers<never>()
    ended.catch(() => over.abort()).finally(bell.ring)
    session.on('error', end).on('end', () => end(new Error('the session has ended')))
    session.on('notification', ({ channel, payload = '' }) => {
      if (channel === 'signet_recall') return void worker.recall(payload)
      worker.claimSoon()
      // What became due may be of a webhook that a dead process holds.
      bell.ring()
    })
    await session.query(`${keepalives}; listen signet_due; listen signet_recall`)
    const queries = queriesOf(session)
    await registerWorker(queries, owner)
    backoff.reset()
    isLossTold = false
    worker.resume()
    // A restart of the database forgets what was armed just before.
    worker.sweepSoon()
    await Promise.race([ended, lookAround(session, bell, over.signal)])
  }

  const lookAround = async (session: pg.Client, bell: ReturnType<typeof createBell>, over: AbortSignal) => {
    while (!over.aborted && !primary.isOutdated(session)) {
      bell.listen()
      const look = await lookAtWorkers(queriesOf(session), owner)
      worker.claimAt(look.firstDue)
      for (const lost of look.lost.filter(({ leftMs }) => leftMs <= 0)) await giveBack(lost.owner).catch(tellFailure)
      await sleep(lookMs.soonest, undefined, { ref: false })
      await bell.sleep(untilNext(look) - lookMs.soonest)
    }
  }

  const giveBack = async (lostOwner: string) => {
    const lapsed = { before: 'infinity', lostOwner }
    const rescue = () => rescueDeliveries(database.write, lapsed, toTimestamp(clock.now()))
    for (let rescued = await rescue(); rescued > 0; rescued = await rescue()) {
      log.info({ rescued }, 'deliveries of a dead process taken back')
      worker.claimSoon()
    }
    await forgetLost(database.write, lostOwner)
    worker.sweepSoon()
  }

  const tellFailure = (err: unknown) =>
    log.error({ err }, 'what a dead process held could not be given back, tried again soon')

  void keep()

  return {
    /** Once this process holds nothing any more. Where it cannot be told, the others notice. */
    async stop() {
      isStopped = true
      if (client) await atMost(closeMs, unregisterWorker(queriesOf(client), owner))
      await close(client)
    },
  }
}

const watched: pg.ClientConfig = {
  keepAlive: true,
  keepAliveInitialDelayMillis: silentMs,
  connectionTimeoutMillis: connectMs,
  query_timeout: answerMs,
}

const queriesOf = (session: pg.Client): Queries => ({ rows: (statement) => ask(session, statement) })

const close = (session: pg.Client | undefined) => atMost(closeMs, session?.end())

/** Never rejects. */
const atMost = (ms: number, work: Promise<unknown> | undefined) =>
  Promise.race([work?.catch(() => {}), sleep(ms, undefined, { ref: false })])

const untilNext = ({ lost, isBusy }: Look) =>
  Math.min(isBusy ? lookMs.busy : lookMs.idle, ...lost.map(({ leftMs }) => Math.ceil(leftMs)))
