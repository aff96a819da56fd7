import type { Queries } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'

/** Of these organizations, those with an event behind their position and up to `end`. */
export async function findOrganizationsWithMore(queries: Queries, positions: Map<string, number>, end: number) {
  const rows = await queries.rows(sql<{ org_id: string }>`
    select asked.org_id
      from unnest(${[...positions.keys()]}::uuid[], ${[...positions.values()]}::bigint[]) as asked (org_id, position)
     where exists (select from events e where e.org_id = asked.org_id and e.position > asked.position and e.position <= ${end})`)
  return new Set(rows.map((row) => row.org_id))
}

/** Held by every process that listens: a publication is announced only where somebody does. */
const listeners = [1_936_288_613, 1]

/** A statement of its own after the commit: a notification in the publishing transaction costs up to four fifths of the rate (measured). */
export const announcePublication = async (queries: Queries) => {
  await queries.rows(sql`
    select pg_notify('signet_published', '') where not pg_try_advisory_xact_lock(${listeners[0]}, ${listeners[1]})`)
}

export const listListener = async (queries: Queries) => {
  await queries.rows(sql`select pg_advisory_lock_shared(${listeners[0]}, ${listeners[1]})`)
}

export const unlistListener = async (queries: Queries) => {
  await queries.rows(sql`select pg_advisory_unlock_shared(${listeners[0]}, ${listeners[1]})`)
}
