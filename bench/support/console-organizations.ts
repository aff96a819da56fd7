import { makeId } from '../../server/src/ground/runtime/identifiers.ts'
import { clientOf } from './client.ts'
import type { Credentials } from './exchange.ts'
import { addWebhook, makeOrganization } from './organizations.ts'
import type { BenchDatabase } from './postgres.ts'
import type { Signet } from './signet.ts'

/** How many of each an organization has. */
export type Sizes = { deliveries: number; webhooks: number; persons: number }

export type Filled = Credentials & {
  sizes: Sizes
  /** Each with one filter, as the address of the list and the interface both have it. */
  filters: string[]
}

const webhooksCount = 3
const eventNames = ['PersonCreated_v1', 'AuthenticationSucceeded_v1']
/** All were published in this time. */
const spanMs = 100_000
const batch = 10_000

/** An organization with so many deliveries in the log and in the queue; none of them is due for a day. */
export async function fillOrganization(signet: Signet, bench: BenchDatabase, sizes: Sizes): Promise<Filled> {
  const { deliveries } = sizes
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
  await addMore(bench, organization.organizationId, sizes)
  const middle = new Date(newest - spanMs / 2).toISOString()
  return { ...organization, sizes, filters: filtersOf(webhookIds[0] ?? '', ids[0] ?? '', middle) }
}

/** Webhooks without triggers, and persons with an address each. */
async function addMore(bench: BenchDatabase, organizationId: string, { webhooks, persons }: Sizes) {
  await bench.run(`
    with webhook as (
      insert into webhooks (org_id, id, target_url, target_key, name, description, timeout_ms, created_at)
      select '${organizationId}', gen_random_uuid(), 'https://r' || n || '.example.com', 'https://r' || n || '.example.com', 'Webhook ' || n,
             '', 5000, now() from generate_series(${webhooksCount + 1}, ${webhooks}) n
      returning org_id, id
    )
    insert into lanes (org_id, webhook_id, max_in_flight, healthy) select org_id, id, 16, true from webhook`)
  for (let from = 0; from < persons; from += batch)
    await bench.run(`
      with person as (
        insert into persons (org_id, id, active, region, created_at)
        select '${organizationId}', gen_random_uuid(), true, 'default', now()
          from generate_series(1, ${Math.min(batch, persons - from)})
        returning org_id, id
      )
      insert into handles (org_id, person_id, type, key, value, verified, position)
      select org_id, id, 'EmailAddress', id || '@example.com', id || '@example.com', false, 0 from person`)
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
