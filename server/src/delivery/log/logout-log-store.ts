import type { Queries } from '../../ground/database/database.ts'
import { firstRow } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'
import { logoutTrigger } from '../logouts/index.ts'
import type { AttemptRecord } from '../webhooks/attempts/index.ts'
import type { StoredLogout } from './logout-record.ts'

/** In the queue or in the log. While an organization moves it waits as before: nobody holds it. */
export const findLogout = (queries: Queries, organizationId: string, clientId: string, id: string) =>
  firstRow(queries)(sql<StoredLogout & { attempts: AttemptRecord[] }>`
    select event_id, case when is_leased then 'in_flight' else 'pending' end as status, null as reason, attempts_count, available_at,
           null::timestamptz as finished_at, content, attempt_log as attempts, attempt_log -> -1 as last_attempt
      from deliveries
     where org_id = ${organizationId} and webhook_id = ${clientId} and event_id = ${id} and trigger_name = ${logoutTrigger}
    union all
    select event_id, status, reason, attempts_count, null, finished_at, content, attempt_log, attempt_log -> -1
      from finished_deliveries
     where org_id = ${organizationId} and webhook_id = ${clientId} and event_id = ${id} and trigger_name = ${logoutTrigger}`)
