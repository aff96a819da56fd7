import pg from 'pg'
import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { createBackoff } from './backoff.ts'
import type { Worker } from './worker.ts'

const reconnectDelay = { initialMs: 50, maxMs: 5_000 }
/** So often it is asked whether the connection still answers: one that is idle may be forgotten on its way. */
const heartbeatMs = 120_000
const answerMs = 5_000
/** For a connection to close that may not answer any more. */
const closeMs = 500

/**
 * Tells every listening process that something became due. A statement of its own: inside a writing transaction its lock
 * would halve the rate of commits (measured).
 */
export const announceDue = async (queries: Queries) => {
  await queries.rows(sql`select pg_notify('signet_due', '')`)
}

/** Tells every listening process to give back what it has not begun to call of a webhook or an organization. */
export const announceRecall = async (queries: Queries, id: string) => {
  await queries.rows(sql`select pg_notify('signet_recall', ${id})`)
}

/**
 * Hears the announcements of other processes on a connection of its own, made anew when it breaks; after that the worker
 * looks once for what may have been missed.
 */
export function listenToOthers(
  connection: pg.ClientConfig,
  worker: Pick<Worker, 'claimSoon' | 'recall'>,
): { stop(): Promise<void> } {
  const backoff = createBackoff(reconnectDelay)
  let isStopped = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  const listen = async () => {
    const next = new pg.Client({
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    })
    client = next
    await follow(next).catch(() => {})
    await close(next)
    if (!isStopped) timer = setTimeout(listen, backoff.next())
  }

  /** Until the connection breaks or does not answer any more. */
  const follow = async (next: pg.Client) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    next
      .on('error', () => end())
      .on('end', end)
      .on('notification', ({ channel, payload = '' }) =>
        channel === 'signet_due' ? worker.claimSoon() : void worker.recall(payload),
      )
    await next.connect()
    await next.query('listen signet_due; listen signet_recall')
    backoff.reset()
    worker.claimSoon()
    const heartbeat = setInterval(() => next.query('select 1').catch(() => end()), heartbeatMs)
    await ended.finally(() => clearInterval(heartbeat))
  }

  const close = (closing: pg.Client | undefined) =>
    Promise.race([closing?.end().catch(() => {}), new Promise((resolve) => setTimeout(resolve, closeMs))])

  void listen()

  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await close(client)
    },
  }
}
