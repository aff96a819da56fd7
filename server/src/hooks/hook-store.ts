import type { AttemptRecord } from '../attempts/index.ts'
import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** A call as the delivery log keeps it. */
export type FinishedCall = {
  webhook_id: string
  status: 'succeeded' | 'dropped' | 'cancelled'
  reason: string | undefined
  attempts: AttemptRecord[]
  /** Null when there were none. */
  dropped_claims: string[] | null
}

/** All calls of a run in one statement: a row for each webhook. */
export async function insertFinishedCalls(
  queries: Queries,
  organizationId: string,
  { runId, triggerName, finishedAt }: { runId: string; triggerName: string; finishedAt: string },
  calls: FinishedCall[],
) {
  await queries.rows(sql`
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_type, trigger_name, status, reason, attempts_count, attempts, dropped_claims,
       finished_at)
    select ${organizationId}, webhook_id, ${runId}, 'sync_hook', ${triggerName}, status, reason,
           jsonb_array_length(attempts), attempts, dropped_claims, ${finishedAt}
      from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb)
           as c (webhook_id uuid, status text, reason text, attempts jsonb, dropped_claims text[])`)
}
