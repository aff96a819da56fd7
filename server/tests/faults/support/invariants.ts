import { expect, vi } from 'vitest'
import { maxOfReceiver } from '../../../src/delivery/queue/capacity.ts'
import { claimsOf } from '../../support/jwt.ts'
import type { Received } from '../../support/receiver.ts'
import { patience } from './suite.ts'

export type Rules = {
  /** Milliseconds. */
  retry: { initialMs: number; maxMs: number; windowMs: number }
  /** Of all processes together. */
  limits: { perWebhook: number; perOrganization: number; total: number }
  /** `<webhook> <event>` of deliveries whose lease ran out in a worker's hands: those may be called by two at once. */
  leasesEnded: Set<string>
  /**
   * Until then, in milliseconds since the epoch, an older release ran beside this one that does not see what is in flight without a row
   * in the queue: it takes the lane of a worker that has nothing else in flight. Such attempts were held to the limit of their own
   * process alone.
   */
  unseenUntil?: number | undefined
}

export type Evidence = {
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** All that the receiver saw. */
  received: Received[]
  acknowledged: string[]
}

/** What a scenario ended with. */
export type Counts = { acknowledged: number; deliveries: number; attempts: number; calls: number }

type Attempt = {
  number: number
  jti: string
  started_at: string
  duration_ms: number
  status_code?: number
  error?: string
}
type Delivery = {
  org_id: string
  webhook_id: string
  event_id: string
  status: string
  reason: string | null
  attempts_count: number
  attempts: Attempt[]
  /** Its first attempt was made without a row in the queue. */
  is_claimed_on_publish: boolean
}

/**
 * What holds whatever was broken, once the faults are over. Written once for all scenarios: each rule gives what breaks
 * it. Compares what the database says with what the receiver saw.
 */
export async function expectInvariants(evidence: Evidence, rules: Rules): Promise<Counts> {
  const { query, received, acknowledged } = evidence
  await vi.waitFor(async () => expect(await wrongLanes(query)).toEqual([]), patience)
  const deliveries = await query<Delivery>(allDeliveries)
  const calls = received.map(toCall)
  const found = {
    'acknowledged events that are lost': await lostEvents(query, acknowledged),
    'deliveries that are missing, or there twice': await miscountedDeliveries(query),
    'states that do not say why': deliveries.filter(isUnexplained),
    'successes that the receiver does not know': unknownSuccesses(deliveries, calls),
    'attempts whose number or jti is another one’s': deliveries
      .filter(hasRepeatedNumber)
      .concat(repeatedJti(deliveries)),
    'attempts outside their schedule': deliveries.filter((delivery) => isOffSchedule(delivery, rules.retry)),
    'requests above a limit': requestsAboveLimits(calls, rules.limits),
    'attempts above a limit': attemptsAboveLimit(deliveries, rules),
    'deliveries by two workers at once': byTwoWorkers(calls, rules.leasesEnded),
    'counters that are wrong': await wrongCounters(query),
  }
  expect(Object.entries(found).filter(([, broken]) => broken.length > 0)).toEqual([])
  const attempts = deliveries.reduce((sum, delivery) => sum + delivery.attempts.length, 0)
  return { acknowledged: acknowledged.length, deliveries: deliveries.length, attempts, calls: calls.length }
}

type Query = Evidence['query']

const allDeliveries = `
  select d.*, exists (select from events e where e.org_id = d.org_id and e.id = d.event_id and d.webhook_id = any(e.claimed_for))
                as is_claimed_on_publish
    from (
      select org_id, webhook_id, event_id, case when is_leased then 'in_flight' else 'pending' end as status, null as reason,
             attempts_count, attempt_log as attempts from deliveries
      union all
      select org_id, webhook_id, event_id, status, reason, attempts_count, attempt_log as attempts from finished_deliveries) d`

const lostEvents = (query: Query, acknowledged: string[]) =>
  query(`select id from unnest($1::uuid[]) id where not exists (select from events e where e.id = id.id)`, [
    acknowledged,
  ])

/** One for each event and each webhook that has its trigger. */
const miscountedDeliveries = (query: Query) =>
  query(`
    select t.webhook_id, e.id from events e
      join triggers t on t.org_id = e.org_id and t.name = e.name and t.type = 'event'
     where (select count(*) from deliveries d
             where d.org_id = e.org_id and d.webhook_id = t.webhook_id and d.event_id = e.id)
         + (select count(*) from finished_deliveries f
             where f.org_id = e.org_id and f.webhook_id = t.webhook_id and f.event_id = e.id) <> 1`)

/** Succeeded by a 2XX, dropped or cancelled for a reason, or still to come. */
function isUnexplained({ status, reason, attempts }: Delivery): boolean {
  if (status === 'succeeded') return !isSuccess(attempts.at(-1))
  return ['pending', 'in_flight'].includes(status) ? false : reason === null
}

const isSuccess = (attempt: Attempt | undefined) => Math.floor((attempt?.status_code ?? 0) / 100) === 2

/** Of the webhooks that call this receiver. */
function unknownSuccesses(deliveries: Delivery[], calls: Call[]) {
  const known = new Set(calls.map((call) => call.jti))
  const webhooks = new Set(calls.map((call) => call.webhook))
  return deliveries
    .filter(({ webhook_id, status }) => webhooks.has(webhook_id) && status === 'succeeded')
    .filter(({ attempts }) => !known.has(attempts.at(-1)?.jti ?? ''))
}

/** An attempt that nobody knows the end of leaves its number unused. */
const hasRepeatedNumber = ({ attempts, attempts_count }: Delivery): boolean =>
  attempts.some(({ number }, index) => number <= (attempts[index - 1]?.number ?? 0)) ||
  (attempts.at(-1)?.number ?? 0) > attempts_count

function repeatedJti(deliveries: Delivery[]): Delivery[] {
  const seen = new Set<string>()
  const isRepeated = ({ jti }: Attempt) => seen.has(jti) || !seen.add(jti)
  return deliveries.filter(({ attempts }) => attempts.map(isRepeated).includes(true))
}

/** Times are told in whole milliseconds. */
const toldToMs = 1

/** 0, 1, 3, 7, 15, 25 and then dropped, in units of the first backoff (6.2, rule 4); never earlier, and not given up before. */
function isOffSchedule(
  { attempts, status, reason }: Delivery,
  { initialMs, maxMs, windowMs }: Rules['retry'],
): boolean {
  const begun = attempts.map((attempt) => Date.parse(attempt.started_at))
  const backoff = (index: number) => Math.min(initialMs * 2 ** index, maxMs)
  const isEarly = begun.some((at, index) => index > 0 && at < (begun[index - 1] ?? 0) + backoff(index - 1) - toldToMs)
  const next = (begun.at(-1) ?? 0) + backoff(begun.length - 1)
  const isGivenUp = status === 'dropped' && reason === 'retry_window_over'
  return isEarly || (isGivenUp && next < (begun[0] ?? 0) + windowMs - toldToMs)
}

type Call = { webhook: string; organization: string; event: string; jti: string; begun: number; ended: number }

function toCall({ body, begun, ended = Number.POSITIVE_INFINITY }: Received): Call {
  const { webhook_id: webhook, aud: organization, sub: event, jti } = claimsOf(body)
  return { webhook, organization, event, jti, begun, ended }
}

function requestsAboveLimits(calls: Call[], { perWebhook, perOrganization, total }: Rules['limits']) {
  return [
    ...above(calls, (call) => call.webhook, maxOfReceiver({ perWebhook })),
    ...above(calls, (call) => call.organization, perOrganization),
    ...above(calls, () => 'all', total),
  ]
}

/** Within its first second, for later it counts no more. */
const countedMs = 900

/** By the log, whoever the receiver is. What a lost worker did is not in it. */
function attemptsAboveLimit(deliveries: Delivery[], { limits, leasesEnded, unseenUntil = 0 }: Rules) {
  const spans = deliveries
    .filter(({ webhook_id, event_id }) => !leasesEnded.has(`${webhook_id} ${event_id}`))
    .flatMap(({ webhook_id, event_id, is_claimed_on_publish, attempts }) =>
      attempts.map(({ number, started_at, duration_ms }) => {
        const at = Date.parse(started_at)
        const isUnqueued = is_claimed_on_publish && number === 1
        const [begun, ended] = [at + toldToMs, at + Math.min(duration_ms, countedMs)]
        return { webhook: webhook_id, event: event_id, number, isUnqueued, begun, ended }
      }),
    )
    .filter(({ begun, ended, isUnqueued }) => begun < ended && !(isUnqueued && begun < unseenUntil))
  return above(spans, (span) => span.webhook, limits.perWebhook)
}

/** The same of calls alone. */
export const receivedByTwoWorkers = (received: Received[]) => byTwoWorkers(received.map(toCall), new Set())

/** Two calls of one delivery that were open together. */
const byTwoWorkers = (calls: Call[], leasesEnded: Set<string>) =>
  above(calls, ({ webhook, event }) => `${webhook} ${event}`, 1).filter(({ of }) => !leasesEnded.has(of))

type Span = { begun: number; ended: number }

/** Where more than `limit` were open together, and which those are. */
function above<S extends Span>(spans: S[], groupOf: (span: S) => string, limit: number) {
  return Map.groupBy(spans, groupOf)
    .entries()
    .map(([of, group]) => ({ of, limit, open: openTogether(group) }))
    .filter(({ open }) => open.length > limit)
    .toArray()
}

/** How many are open together. */
export const maxOpen = (spans: Span[]): number => openTogether(spans).length

/** The most that are open together; each is for a while. */
function openTogether<S extends Span>(spans: S[]): S[] {
  const changes = spans.flatMap((span) => [
    { at: span.begun, by: 1, span },
    { at: span.ended, by: -1, span },
  ])
  const open = new Set<S>()
  let most: S[] = []
  for (const { by, span } of changes.toSorted((a, b) => a.at - b.at || a.by - b.by)) {
    if (by < 0) open.delete(span)
    else open.add(span)
    if (open.size > most.length) most = [...open]
  }
  return most
}

/** Lanes whose count is not that of their deliveries in flight, and lanes that sleep beside something that is due. */
const wrongLanes = (query: Query) =>
  query(`
    select org_id, webhook_id, in_flight, rows_in_flight, saturated, healthy, leased_by, available_at, next_due_at, cooldown_until, now()
      from (
      select l.*, (select count(*) from deliveries d
                    where d.org_id = l.org_id and d.webhook_id = l.webhook_id and d.is_leased) as rows_in_flight,
             (select min(available_at) from deliveries d
               where d.org_id = l.org_id and d.webhook_id = l.webhook_id and not d.is_leased) as available_at
        from lanes l) l
     where in_flight <> rows_in_flight
        or (paused_reason is null and not (saturated and in_flight > 0) and available_at is not null
            and greatest(available_at, cooldown_until) < least(next_due_at, now()))`)

/** The daily counters, against the rows that they count. */
const wrongCounters = (query: Query) =>
  query(`
    select * from
      (select org_id, webhook_id, status, sum(count)::int as counted from delivery_counts group by 1, 2, 3) c
      full join
      (select org_id, webhook_id, status, count(*)::int as there from finished_deliveries group by 1, 2, 3) f
      using (org_id, webhook_id, status)
     where counted is distinct from there`)
