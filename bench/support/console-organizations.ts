import { makeId } from '../../server/src/ground/runtime/identifiers.ts'
import { clientOf } from './client.ts'
import type { Credentials } from './exchange.ts'
import { addWebhook, makeOrganization } from './organizations.ts'
import type { BenchDatabase } from './postgres.ts'
import type { Signet } from './signet.ts'

export type Filled = Credentials & {
  deliveries: number
  /** Each with one filter, as the address of the list and the interface both have it. */
  filters: string[]
}

const webhooksCount = 3
const eventNames = ['PersonCreated_v1', 'AuthenticationSucceeded_v1']
/** All were published in this time. */
const spanMs = 100_000
const batch = 10_000

/** An organization with so many deliveries in the log and in the queue; none of them is due for a day. */
export async function fillOrganization(signet: Signet, bench: BenchDatabase, deliveries: number): Promise<Filled> {
  const organization = await makeOrganization(signet)
  const { post } = clientOf(signet.port, {
    'service-orgid': organization.organizationId,
    'service-api-key': organization.apiKey,
  })
  await post('/test-events', Array(20).fill({ event_name: eventNames[0] }))
  const webhookIds: string[] = []
  while (webhookIds.length < webhooksCount)
    webhookIds.push(
      await addWebhook(signet, organization, `https://receiver.example.com/${webhookIds.length}`, eventNames[0] ?? ''),
    )
  const newest = Date.now()
  const ids = Array.from({ length: deliveries }, (_, n) => makeId(newest - spanMs + (n * spanMs) / deliveries))
  for (let from = 0; from < deliveries; from += batch)
    await bench.run(insert(organization.organizationId, webhookIds, ids.slice(from, from + batch)))
  const middle = new Date(newest - spanMs / 2).toISOString()
  return { ...organization, deliveries, filters: filtersOf(webhookIds[0] ?? '', ids[0] ?? '', middle) }
}

const filtersOf = (webhookId: string, eventId: string, middle: string) => [
  '',
  'status=succeeded',
  'status=pending',
  'status=dropped',
  `event_name=${eventNames[1]}`,
  `webhook_id=${webhookId}`,
  'status_code=503',
  'error=timeout',
  `since=${middle}`,
  `until=${middle}`,
  `event_id=${eventId}`,
]

/** Of four deliveries two succeeded, one waits for its next attempt, and one was dropped; those failed by 503 or by a timeout, by turns. */
const insert = (organizationId: string, webhookIds: string[], ids: string[]) => `
  with made as materialized (
    select '${organizationId}'::uuid as org_id, ('{${webhookIds}}'::uuid[])[1 + n / 8 % ${webhooksCount}] as webhook_id, id as event_id,
           ('{${eventNames}}'::text[])[1 + n / 16 % 2] as trigger_name, n % 4 as outcome,
           case when n % 4 < 2 then '[{"number": 1, "status_code": 200}]'
                when n / 4 % 2 = 0 then '[{"number": 1, "status_code": 503}]'
                else '[{"number": 1, "error": "timeout"}]' end::jsonb as attempt_log
      from (select id, number - 1 from unnest('{${ids}}'::uuid[]) with ordinality e (id, number)) e (id, n)
  ), waiting as (
    insert into deliveries (org_id, webhook_id, event_id, trigger_name, available_at, attempts_count, attempt_log)
    select org_id, webhook_id, event_id, trigger_name, now() + interval '1 day', 1, attempt_log from made where outcome = 2
  )
  insert into finished_deliveries (org_id, webhook_id, event_id, trigger_name, status, attempts_count, attempt_log, finished_at)
  select org_id, webhook_id, event_id, trigger_name, case when outcome = 3 then 'dropped' else 'succeeded' end, 1, attempt_log, now()
    from made where outcome <> 2`
