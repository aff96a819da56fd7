import type { Queries } from '../../ground/database/database.ts'
import { numberIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { percentile, readDurations } from '../queue/index.ts'
import { isCalled, type TriggerType } from '../webhooks/index.ts'

export const sorts = ['newest', 'name', 'p95', 'error_rate', 'held'] as const
export type Sort = (typeof sorts)[number]
export const states = ['active', 'paused', 'failing'] as const
type State = (typeof states)[number]

export type Filter = { webhookId?: string | undefined; name?: string | undefined; state?: State | undefined }

/** Deliveries of one webhook that are counted. */
export const maxWaiting = 10_000
/** How many deliveries of a webhook `w` wait for their attempt; while it is paused all of them are held. */
export const countWaiting = (organizationId: string) => fragment`(
  select count(*)::int from (
    select from deliveries where org_id = ${organizationId} and webhook_id = w.id and not is_leased limit ${maxWaiting}) each)`
/** Of all webhooks together, for the order by how many are held. */
const maxWaitingOfAll = 100_000

/** Of a webhook's lane `l`. */
export const conditionOf: Record<State, Fragment> = {
  active: fragment`l.paused_reason is null`,
  paused: fragment`l.paused_reason is not null`,
  failing: fragment`l.paused_reason is null and l.failing_since is not null`,
}

/** A webhook `w` with its lane `l`. What is not asked for is not in the statement, so that the order by an index needs no lane. */
const chosen = (organizationId: string, { webhookId, name, state }: Filter) => fragment`
      webhooks w ${state ? fragment`join lanes l on l.org_id = w.org_id and l.webhook_id = w.id` : fragment``}
     where w.org_id = ${organizationId} ${webhookId ? fragment`and w.id = ${webhookId}` : fragment``}
       and ${isCalled(name)}
       ${state ? fragment`and ${conditionOf[state]}` : fragment``}`

export const countChosen = (queries: Queries, organizationId: string, filter: Filter) =>
  numberIn(queries)(sql<{ count: number }>`select count(*)::int as count from ${chosen(organizationId, filter)}`)

type Order = Filter & { sort: Sort; since: string }

/** The ids of a page in its order; of those that are equal the newest webhook first. */
export function pageOfIds(queries: Queries, organizationId: string, order: Order, page: Page): Promise<string[]> {
  if (order.sort === 'newest' || order.sort === 'name') return indexedPage(queries, organizationId, order, page)
  return rankedPage(queries, organizationId, order, page)
}

async function indexedPage(queries: Queries, organizationId: string, { sort, ...filter }: Order, page: Page) {
  const by = sort === 'name' ? fragment`lower(w.name) collate "C", w.id` : fragment`w.id desc`
  const rows = await queries.rows(sql<{ id: string }>`
    select w.id from ${chosen(organizationId, filter)} order by ${by} limit ${page.limit} offset ${page.offset}`)
  return rows.map(({ id }) => id)
}

async function rankedPage(queries: Queries, organizationId: string, order: Order, { limit, offset }: Page) {
  const ranks = await ranksOf(queries, organizationId, order)
  const ids = await queries.rows(sql<{ id: string }>`
    select w.id from ${chosen(organizationId, order)} order by w.id desc`)
  const rankOf = ({ id }: { id: string }) => ranks.get(id) ?? -1
  const inOrder = ids.sort((one, other) => rankOf(other) - rankOf(one))
  return inOrder.slice(offset, offset + limit).map(({ id }) => id)
}

/** By id. Of a webhook with events and hooks, what is worse of both; what has none is missing. */
async function ranksOf(queries: Queries, organizationId: string, { sort, since }: Order): Promise<Map<string, number>> {
  if (sort === 'held') return countHeld(queries, organizationId)
  const rows = await sumAttempts(queries, organizationId, since, sort === 'p95')
  const ranks = new Map<string, number>()
  for (const { webhook_id, attempts, failed, durations } of rows) {
    const rank = durations === null ? failed / attempts : (percentile(readDurations(durations), 0.95) ?? 0)
    ranks.set(webhook_id, Math.max(rank, ranks.get(webhook_id) ?? 0))
  }
  return ranks
}

type Sums = { webhook_id: string; attempts: number; failed: number; durations: Buffer | null }

const sumAttempts = (queries: Queries, organizationId: string, since: string, withDurations: boolean) =>
  queries.rows(sql<Sums>`
    select webhook_id, sum(count)::bigint as attempts, coalesce(sum(count) filter (where failure <> ''), 0)::bigint as failed,
           ${withDurations ? fragment`numeric_send(sum(durations))` : fragment`null::bytea`} as durations
      from attempt_counts where org_id = ${organizationId} and hour >= ${since} group by webhook_id, trigger_type`)

/** Of webhooks that are paused; the more of them have anything, the sooner counting stops at each. */
async function countHeld(queries: Queries, organizationId: string) {
  const rows = await queries.rows(sql<{ webhook_id: string; held: number }>`
    with paused as materialized (
      select webhook_id from lanes where org_id = ${organizationId} and paused_reason is not null and not is_logout
    )
    select p.webhook_id, counted.held from paused p cross join lateral (
      select count(*)::int as held from (
        select from deliveries
         where org_id = ${organizationId} and webhook_id = p.webhook_id and not is_leased
         limit greatest(10, ${maxWaitingOfAll} / (select count(*) from paused))) each) counted`)
  return new Map(rows.map(({ webhook_id, held }) => [webhook_id, held]))
}

/** `failure`: the newest; `same`: how many failed as it did. `durations`: how many took how long. */
export type Figures = {
  attempts: number
  failed: number
  timeouts: number
  durations: number[]
  last_at: Date | null
  failure: string | null
  same: number
}

type Lane = {
  paused_reason: 'requested' | 'failing' | 'restored' | null
  paused_at: Date | null
  failing_since: Date | null
}
type Described = Lane & {
  id: string
  name: string
  target_url: string
  created_at: Date
  trigger_types: TriggerType[]
  waiting: number
}

export type WebhookRow = Described & { event?: Figures; sync_hook?: Figures }

/** In the order of `ids`. */
export async function readWebhooks(queries: Queries, organizationId: string, ids: string[], since: string) {
  const [described, figures] = await Promise.all([
    describe(queries, organizationId, ids),
    readFigures(queries, organizationId, ids, since),
  ])
  return described.map((row): WebhookRow => {
    const own = figures.filter(({ webhook_id }) => webhook_id === row.id)
    return { ...row, ...Object.fromEntries(own.map((each) => [each.trigger_type, withDurations(each)])) }
  })
}

const withDurations = ({ durations, ...row }: FiguresRow): Figures => ({ ...row, durations: readDurations(durations) })

const describe = (queries: Queries, organizationId: string, ids: string[]) =>
  queries.rows(sql<Described>`
    select w.id, w.name, w.target_url, w.created_at, l.paused_reason, case when l.paused_reason is not null then l.paused_at end as paused_at,
           l.failing_since, array(select distinct type from triggers where org_id = w.org_id and webhook_id = w.id order by 1) as trigger_types,
           ${countWaiting(organizationId)} as waiting
      from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
     cross join lateral (select * from webhooks where org_id = ${organizationId} and id = wanted.id limit 1) w
      join lateral (select * from lanes where org_id = ${organizationId} and webhook_id = wanted.id limit 1) l on true
     order by place`)

type FiguresRow = Omit<Figures, 'durations'> & { webhook_id: string; trigger_type: TriggerType; durations: Buffer }

const isTimeout = fragment`failure in ('timeout', 'connect_timeout')`

const readFigures = (queries: Queries, organizationId: string, ids: string[], since: string) =>
  queries.rows(sql<FiguresRow>`
    with by_failure as (
      select c.* from unnest(${ids}::uuid[]) as wanted (id) cross join lateral (
        select webhook_id, trigger_type, failure, sum(count) as count, sum(durations) as durations, max(last_at) as last_at
          from attempt_counts where org_id = ${organizationId} and webhook_id = wanted.id and hour >= ${since}
         group by webhook_id, trigger_type, failure) c
    )
    select webhook_id, trigger_type, sum(count)::bigint as attempts, coalesce(sum(count) filter (where failure <> ''), 0)::bigint as failed,
           coalesce(sum(count) filter (where ${isTimeout}), 0)::bigint as timeouts, numeric_send(sum(durations)) as durations,
           max(last_at) filter (where failure <> '') as last_at,
           (array_agg(failure order by last_at desc) filter (where failure <> ''))[1] as failure,
           coalesce((array_agg(count order by last_at desc) filter (where failure <> ''))[1], 0)::bigint as same
      from by_failure group by webhook_id, trigger_type`)
