import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

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
