/** Writes logout tokens to be sent, and reads them back for their attempts. They wait in the queue until they are claimed, as a retry does. */
import type { Queries } from '../../ground/database/database.ts'
import { valuesIn } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { contentOf, type EnqueueLogouts, type Logout, logoutTrigger } from '../logouts/index.ts'
import type { ClaimedDelivery } from './delivery.ts'
import type { Wake } from './wake.ts'

export const createEnqueueLogouts =
  ({ clock, wake }: { clock: Clock; wake: Wake }): EnqueueLogouts =>
  async (tx, organizationId, logouts) => {
    if (logouts.length === 0) return
    const clientIds = await insertLogouts(tx, organizationId, logouts, clock.now())
    if (clientIds.length > 0) tx.afterCommit(() => wake(organizationId, [...new Set(clientIds)]))
  }

/** For the applications that have a lane; gives these. A lane that is closed meanwhile has its deliveries cancelled by the sweep. */
const insertLogouts = (queries: Queries, organizationId: string, logouts: Logout[], now: number) =>
  valuesIn(queries)(sql<{ webhook_id: string }>`
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at, content)
    select l.org_id, l.webhook_id, o.id, ${logoutTrigger}, ${toTimestamp(now)}, o.content
      from unnest(${logouts.map(({ clientId }) => clientId)}::uuid[], ${logouts.map(() => makeId(now))}::uuid[],
                  ${logouts.map((logout) => JSON.stringify(contentOf(logout)))}::jsonb[]) as o (client_id, id, content)
      join lanes l on l.org_id = ${organizationId} and l.webhook_id = o.client_id and l.is_logout
    returning webhook_id`)

/** As JSON text, by the id of the delivery. */
export async function loadContents(queries: Queries, deliveries: ClaimedDelivery[]): Promise<Map<string, string>> {
  const of = (column: 'organizationId' | 'webhookId' | 'eventId') => deliveries.map((delivery) => delivery[column])
  const rows = await queries.rows(sql<{ event_id: string; content: string }>`
    select d.event_id, d.content::text as content
      from unnest(${of('organizationId')}::uuid[], ${of('webhookId')}::uuid[], ${of('eventId')}::uuid[]) as wanted (org_id, webhook_id, event_id)
      join deliveries d using (org_id, webhook_id, event_id) where d.content is not null`)
  return new Map(rows.map(({ event_id, content }) => [event_id, content]))
}
