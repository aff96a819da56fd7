import type { Queries } from '../database/database.ts'
import { type Statement, sql } from '../database/sql.ts'

export const sweptTables = ['issuer_tokens', 'issuer_grants', 'issuer_sessions', 'issuer_interactions'] as const

type Remove = (queries: Queries, now: string, most: number) => Promise<number>

/** Each gives how many rows it removed. What another process removes at the same time is left to that one. */
export const removeExpired: Record<(typeof sweptTables)[number], Remove> = {
  issuer_tokens: count(
    (now, most) => sql`
      delete from issuer_tokens where (org_id, id_hash) in
        (select org_id, id_hash from issuer_tokens where expires_at <= ${now}
          order by expires_at limit ${most} for update skip locked)
      returning 1`,
  ),
  issuer_grants: count(
    (now, most) => sql`
      delete from issuer_grants where (org_id, id) in
        (select org_id, id from issuer_grants where expires_at <= ${now}
          order by expires_at limit ${most} for update skip locked)
      returning 1`,
  ),
  issuer_sessions: count(
    (now, most) => sql`
      delete from issuer_sessions where (org_id, uid) in
        (select org_id, uid from issuer_sessions where expires_at <= ${now}
          order by expires_at limit ${most} for update skip locked)
      returning 1`,
  ),
  issuer_interactions: count(
    (now, most) => sql`
      delete from issuer_interactions where (org_id, uid) in
        (select org_id, uid from issuer_interactions where expires_at <= ${now}
          order by expires_at limit ${most} for update skip locked)
      returning 1`,
  ),
}

function count(statement: (now: string, most: number) => Statement<never>): Remove {
  return async (queries, now, most) => (await queries.rows(statement(now, most))).length
}
