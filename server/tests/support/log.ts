import type { LaneKey } from '../../src/delivery/queue/delivery.ts'
import type { Queries } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'

/** Writes deliveries of one webhook into the log, as a worker would have. */
export const writeLog = (
  queries: Queries,
  { organizationId, webhookId }: LaneKey,
  eventIds: string[],
  {
    status = 'succeeded',
    triggerType = 'event',
    triggerName = 'PersonCreated_v1',
    finishedAt = new Date().toISOString(),
  } = {},
) =>
  queries.rows(sql`
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_type, trigger_name, status, attempts_count, attempt_log, finished_at)
    select ${organizationId}, ${webhookId}, id, ${triggerType}, ${triggerName}, ${status}, 1, '[]', ${finishedAt}
      from unnest(${eventIds}::uuid[]) id`)
