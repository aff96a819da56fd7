import { sql } from '../../../../src/ground/database/sql.ts'
import type { shown } from '../model/views.ts'
import { rules } from '../rules.ts'
import { ask } from './owner.ts'
import type { World } from './world.ts'

const webhookPath = '/organizations/webhooks/:webhook_id'

export const publishedKids = async ({ keys }: World, organizationId: string) =>
  (await keys.publishedKeys(organizationId)).map(({ kid }) => kid)

/** A webhook, its deliveries and their numbers by day, as its owner is shown them; undefined: nothing of it. */
export async function look(world: World, organizationId: string, webhookId: string) {
  const params = { webhook_id: webhookId }
  const [record, page, counts] = await Promise.all([
    ask(world, organizationId, `GET ${webhookPath}`, { params }),
    ask(world, organizationId, `GET ${webhookPath}/deliveries`, { params, query: { limit: 100 } }),
    ask(world, organizationId, `GET ${webhookPath}/delivery-counts`, { params }),
  ])
  if (record === 404 && page === 404 && counts === 404) return undefined
  return { record, deliveries: (page as { items: DeliveryRecord[] }).items.map(toShown), counts }
}

type DeliveryRecord = ReturnType<typeof shown> & { next_attempt_at?: Date; finished_at?: Date }

/** As the model shows it. */
const toShown = ({ id, status, reason, attempts_count, next_attempt_at, finished_at }: DeliveryRecord) => ({
  id,
  status,
  reason,
  attempts_count,
  next_attempt_at: next_attempt_at?.getTime(),
  finished_at: finished_at?.getTime(),
})

/** Of the attempts in the log, the oldest first. */
export async function attemptNumbers(world: World, organizationId: string, webhookId: string, eventId: string) {
  const params = { webhook_id: webhookId, delivery_id: eventId }
  const delivery = await ask(world, organizationId, `GET ${webhookPath}/deliveries/:delivery_id`, { params })
  return (delivery as { attempts: { number: number }[] }).attempts.map(({ number }) => number)
}

type Kept = {
  deliveries: KeptDelivery[] | null
  lanes: { webhook_id: string; paused_reason: string | null }[] | null
  counts: { webhook_id: string; day: string; status: string; count: number }[] | null
}
type KeptDelivery = {
  webhook_id: string
  event_id: string
  status: string
  reason: string | null
  attempts_count: number
  /** Of the attempts in the log. */
  numbers: number[]
  /** When it is due or its lease ends; when it was finished. */
  at: number
}

/** All that is kept of the webhooks of an organization, in one look: what its owner's answers are made of. */
export async function readKept({ database }: World, organizationId: string) {
  const [row] = await database.write.rows(sql<Kept>`
    select
      (select json_agg(d) from (
         select webhook_id, event_id, case when is_leased then 'in_flight' else 'pending' end as status, null as reason,
                attempts_count, jsonb_path_query_array(attempt_log, '$[*].number') as numbers, extract(epoch from available_at) * 1000 as at
           from deliveries where org_id = ${organizationId}
         union all
         select webhook_id, event_id, 'in_flight', null, 1, '[]', extract(epoch from time_of(event_id)) * 1000 + ${rules.leaseMs}::int
           from unqueued_deliveries where org_id = ${organizationId}
         union all
         select webhook_id, event_id, status, reason, attempts_count, jsonb_path_query_array(attempt_log, '$[*].number'),
                extract(epoch from finished_at) * 1000
           from finished_deliveries where org_id = ${organizationId}) d) as deliveries,
      (select json_agg(l) from (select webhook_id, paused_reason from lanes where org_id = ${organizationId}) l) as lanes,
      (select json_agg(c) from (
         select webhook_id, day, status, count from delivery_counts where org_id = ${organizationId}) c) as counts`)
  return { deliveries: row?.deliveries ?? [], lanes: row?.lanes ?? [], counts: row?.counts ?? [] }
}

/** Numbers of calls in flight that are not those of their deliveries, which have a claim exactly while they are in flight. */
export const wrongLanes = ({ database }: World, organizationId: string) =>
  database.read.rows(sql`
    select * from lanes l
     where org_id = ${organizationId}
       and (in_flight, in_flight) <> (select count(*) filter (where d.is_leased), count(d.lease_token) from deliveries d
                                       where d.org_id = l.org_id and d.webhook_id = l.webhook_id)`)
