import type { Queries } from '../../ground/database/database.ts'
import { rowCount } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'

/** Rows removed by one statement, which is its own transaction. */
const batchRows = 1_000
/** One run ends after this time, with a batch of each table at least; the next run continues. */
const maxRunMs = 5_000

/** Each table with its key after the organization: tokens before their grants, grants before their sessions. */
const sweptTables = [
  { table: fragment`issuer_tokens`, key: fragment`id_hash` },
  { table: fragment`issuer_grants`, key: fragment`id` },
  { table: fragment`issuer_sessions`, key: fragment`uid` },
  { table: fragment`issuer_interactions`, key: fragment`uid` },
  { table: fragment`console_sign_ins`, key: fragment`state_hash` },
]

/** Removes expired rows, which no lookup finds any more. The tables take turns, so that a busy one delays no other. */
export async function sweepExpired(queries: Queries, clock: Clock, signal: AbortSignal) {
  const now = clock.now()
  const unfinished = new Set(sweptTables)
  do {
    for (const swept of unfinished) {
      if (signal.aborted) return
      const removed = await removeExpired(queries, swept, toTimestamp(now), batchRows)
      if (removed < batchRows) unfinished.delete(swept)
    }
  } while (unfinished.size > 0 && clock.now() - now <= maxRunMs)
}

/** Gives how many rows were removed. Rows that another process has locked to remove them are skipped. */
const removeExpired = (queries: Queries, { table, key }: (typeof sweptTables)[number], now: string, limit: number) =>
  rowCount(queries)(sql`
    delete from ${table} where (org_id, ${key}) in
      (select org_id, ${key} from ${table} where expires_at <= ${now}
        order by expires_at limit ${limit} for update skip locked)
    returning 1`)
