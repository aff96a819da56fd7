import pg from 'pg'
import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

const reconnectDelay = { initialMs: 50, maxMs: 5_000 }

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
  worker: { look(): void; recall(id: string): void },
): { stop(): Promise<void> } {
  let isStopped = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let delayMs = reconnectDelay.initialMs

  const connect = async () => {
    const next = new pg.Client(connection)
    client = next
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    next
      .on('error', () => resolve())
      .on('end', resolve)
      .on('notification', ({ channel, payload = '' }) =>
        channel === 'signet_due' ? worker.look() : worker.recall(payload),
      )
    try {
      await next.connect()
      await next.query('listen signet_due; listen signet_recall')
      delayMs = reconnectDelay.initialMs
      worker.look()
      await ended
    } catch {
      // Tried again below.
    }
    await next.end().catch(() => {})
    if (isStopped) return
    timer = setTimeout(connect, delayMs)
    delayMs = Math.min(delayMs * 2, reconnectDelay.maxMs)
  }
  void connect()

  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
