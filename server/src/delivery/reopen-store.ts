import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Attempts that go back into the queue with a delivery, the newest; the earlier ones of one opened so often are forgotten. */
const keptAttempts = 100

/**
 * Moves finished deliveries back into the queue, due now and with a new window, for the trigger as it is at present; those
 * whose trigger is gone stay. Of two callers at once only one finds a delivery to move. Gives how many were moved.
 */
export async function reopenDeliveries(
  queries: Queries,
  organizationId: string,
  webhookId: string,
  eventIds: string[],
  now: string,
): Promise<number> {
  // Only the partitions of their days are opened.
  const bounds = eventIds.toSorted()
  const rows = await queries.rows(sql`
    with taken as (
      delete from finished_deliveries f
       using unnest(${eventIds}::uuid[]) as wanted (event_id), triggers t
       where f.org_id = ${organizationId} and f.webhook_id = ${webhookId} and f.event_id = wanted.event_id
         and f.event_id >= ${bounds.at(0)} and f.event_id <= ${bounds.at(-1)}
         and t.org_id = ${organizationId} and t.webhook_id = ${webhookId} and t.type = 'event' and t.name = f.trigger_name
      returning f.*, t.created_at as trigger_created_at
    )
    insert into deliveries
      (org_id, webhook_id, event_id, trigger_name, trigger_created_at, due_at, attempts_count, attempts)
    select org_id, webhook_id, event_id, trigger_name, trigger_created_at, ${now}::timestamptz, attempts_count,
           jsonb_path_query_array(attempts, '$[last - $earlier to last]', jsonb_build_object('earlier', ${keptAttempts - 1}::int))
      from taken
    returning event_id`)
  return rows.length
}
