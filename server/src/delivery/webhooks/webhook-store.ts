import { beginsWithAnyCase, type SearchTerm } from '../../ground/database/begins-with.ts'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, numberIn, valueIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import type { LaneOfWebhook } from './lane-of-webhook.ts'
import type { OnFailure, Trigger, TriggerType } from './trigger.ts'

/** Columns that a request sets. */
export type WebhookColumns = {
  target_url: string
  /** Unique within the organization. */
  target_key: string
  name: string
  description: string
  /** Encrypted; null when there are none. */
  custom_headers: Buffer | null
  /** 0: the default of the trigger's type. */
  timeout_ms: number
}
export type Changes = { [Column in keyof WebhookColumns]?: WebhookColumns[Column] | undefined }
/** Why the event triggers are paused; null when they are not. Stored on the lane, which every claim reads. */
type PausedReason = 'requested' | 'failing' | 'restored' | null
export type StoredWebhook = Omit<WebhookColumns, 'target_key'> & {
  id: string
  created_at: Date
  paused_reason: PausedReason
  /** The first failure after the last success of an attempt on a delivery; null when the last one succeeded. */
  failing_since: Date | null
  /** Restored from a backup, and nobody has resumed it since: its synchronous hook is not called either. */
  is_restored: boolean
}

/** URL, headers and timeout of a webhook. */
export type StoredTarget = Pick<WebhookColumns, 'target_url' | 'timeout_ms' | 'custom_headers'>

type NewWebhook = WebhookColumns & { id: string; created_at: string }

/** Also opens its lane. Undefined when another webhook of the organization has the target. */
export const insertWebhook = (queries: Queries, organizationId: string, webhook: NewWebhook, lane: LaneOfWebhook) =>
  firstRow(queries)(sql<StoredWebhook>`
    with webhook as (
      insert into webhooks (org_id, id, target_url, target_key, name, description, custom_headers, timeout_ms, created_at)
      values (${organizationId}, ${webhook.id}, ${webhook.target_url}, ${webhook.target_key}, ${webhook.name},
              ${webhook.description}, ${webhook.custom_headers}, ${webhook.timeout_ms}, ${webhook.created_at})
      on conflict (org_id, target_key) where target_key <> '' do nothing
      returning *
    ), ${lane.opened}
    select id, target_url, name, description, custom_headers, timeout_ms, created_at, null as paused_reason, null as failing_since,
           false as is_restored
      from webhook`)

/**
 * Whether a webhook `w` has the text anywhere in its name or its address, whatever the case of its letters. It reads all webhooks of the
 * organization (6 ms for 10,000, measured).
 */
export const isCalled = (text: string | undefined) =>
  text === undefined
    ? fragment`true`
    : fragment`(position(lower(${text}) in lower(w.name)) > 0 or position(lower(${text}) in lower(w.target_url)) > 0)`

type Search = Page & { name?: string }

/** The newest first, because ids begin with the time. */
export const listWebhooks = (queries: Queries, organizationId: string, search: Search, lane: LaneOfWebhook) =>
  queries.rows(sql<StoredWebhook>`
    select ${columnsWith(lane)}
      from webhooks w where org_id = ${organizationId} and ${isCalled(search.name)}
     order by id desc limit ${search.limit} offset ${search.offset}`)

export const countWebhooks = (queries: Queries, organizationId: string, name?: string) =>
  numberIn(queries)(sql<{ count: number }>`
    select count(*) from webhooks w where org_id = ${organizationId} and ${isCalled(name)}`)

export const hasWebhook = (queries: Queries, organizationId: string, webhookId: string) =>
  hasRow(queries)(sql`
    select from webhooks where org_id = ${organizationId} and id = ${webhookId}`)

export const findTargetUrl = (queries: Queries, organizationId: string, webhookId: string) =>
  valueIn(queries)(sql<{ target_url: string }>`
    select target_url from webhooks where org_id = ${organizationId} and id = ${webhookId}`)

/** Those that there are and that have a name, by their ids. */
export async function namesOfWebhooks(queries: Queries, organizationId: string, ids: readonly string[]) {
  const rows = await queries.rows(sql<{ id: string; name: string }>`
    select id, name from webhooks where org_id = ${organizationId} and id = any(${ids}::uuid[]) and name <> ''`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Of a webhook `w`. */
const columnsWith = (lane: LaneOfWebhook) =>
  fragment`id, target_url, name, description, custom_headers, timeout_ms, created_at, ${lane.columns}`

export const findWebhook = (
  queries: Queries,
  organizationId: string,
  webhookId: string,
  lane: LaneOfWebhook,
  lock = fragment``,
) =>
  firstRow(queries)(sql<StoredWebhook>`
    select ${columnsWith(lane)}
      from webhooks w where org_id = ${organizationId} and id = ${webhookId} ${lock}`)

/** As `findWebhook`, and locks the webhook until the end of the transaction. */
export const lockWebhook = (tx: Transaction, organizationId: string, webhookId: string, lane: LaneOfWebhook) =>
  findWebhook(tx, organizationId, webhookId, lane, fragment`for no key update of w`)

/** Absent fields stay. Violates `webhooks_by_target` when another webhook of the organization has the target. */
export const updateWebhook = (
  queries: Queries,
  organizationId: string,
  webhookId: string,
  changes: Changes,
  lane: LaneOfWebhook,
) =>
  firstRow(queries)(sql<StoredWebhook>`
    update webhooks w
       set target_url = coalesce(${changes.target_url}, target_url),
           target_key = coalesce(${changes.target_key}, target_key),
           name = coalesce(${changes.name}, name),
           description = coalesce(${changes.description}, description),
           custom_headers = case when ${changes.custom_headers === undefined}::boolean then custom_headers
                                 else ${changes.custom_headers}::bytea end,
           timeout_ms = coalesce(${changes.timeout_ms}, timeout_ms)
     where org_id = ${organizationId} and id = ${webhookId}
    returning ${columnsWith(lane)}`)

/** Deletes triggers and lane as well: after the commit none of its deliveries is claimed. */
export const removeWebhook = (tx: Transaction, organizationId: string, webhookId: string) =>
  tx.rows(sql`delete from webhooks where org_id = ${organizationId} and id = ${webhookId}`)

/**
 * Leaves an existing trigger unchanged, and returns what stands, and whether it is new. Undefined where there is no such webhook: its row
 * stays locked against change and deletion, which may need another scope once the webhook has the trigger, until that is committed.
 */
export const insertTrigger = (
  queries: Queries,
  organizationId: string,
  webhookId: string,
  { type, name, onFailure }: Trigger,
  now: string,
) =>
  firstRow(queries)(sql<{ isNew: boolean; onFailure: OnFailure }>`
    with webhook as (
      select org_id, id from webhooks where org_id = ${organizationId} and id = ${webhookId} for share
    )
    insert into triggers as t (org_id, webhook_id, type, name, on_failure, created_at)
    select org_id, id, ${type}, ${name}, ${onFailure}, ${now} from webhook
    on conflict (org_id, webhook_id, type, name) do update set on_failure = t.on_failure
    returning xmax = 0 as "isNew", on_failure as "onFailure"`)

/** Whether the webhook has the event trigger of that name. */
export const hasTrigger = (queries: Queries, organizationId: string, webhookId: string, name: string) =>
  hasRow(queries)(sql`
    select from triggers
     where org_id = ${organizationId} and webhook_id = ${webhookId} and type = 'event' and name = ${name}`)

/** Names of event triggers, by the ids of those webhooks that there are. */
export async function triggersOfWebhooks(queries: Queries, organizationId: string, webhookIds: string[]) {
  const rows = await queries.rows(sql<{ id: string; names: string[] }>`
    select id, array(select name from triggers where org_id = w.org_id and webhook_id = w.id and type = 'event') as names
      from webhooks w where org_id = ${organizationId} and id = any(${webhookIds}::uuid[])`)
  return new Map(rows.map(({ id, names }) => [id, new Set(names)]))
}

/** Undefined when there is no such webhook. */
export async function listTriggers(queries: Queries, organizationId: string, webhookId: string) {
  const rows = await queries.rows(sql<TriggerRow>`
    select t.type, t.name, t.on_failure
      from webhooks w left join triggers t on t.org_id = w.org_id and t.webhook_id = w.id
     where w.org_id = ${organizationId} and w.id = ${webhookId}
     order by t.type, t.name`)
  if (rows.length === 0) return undefined
  return rows.flatMap(({ type, name, on_failure }) => (type ? [{ type, name, onFailure: on_failure }] : []))
}

/** A webhook without triggers has one row of nulls. */
type TriggerRow = { type: TriggerType | null; name: string; on_failure: OnFailure }

export const removeTrigger = (
  queries: Queries,
  organizationId: string,
  webhookId: string,
  { type, name }: Pick<Trigger, 'type' | 'name'>,
) =>
  firstRow(queries)(sql<Trigger>`
    delete from triggers
     where org_id = ${organizationId} and webhook_id = ${webhookId} and type = ${type} and name = ${name}
    returning type, name, on_failure as "onFailure"`)

/** A webhook whose synchronous hook runs when the trigger fires. */
type Hook = { webhookId: string; onFailure: OnFailure }

/** In order of the webhooks' creation, because ids begin with the time. */
export async function listHooks(queries: Queries, organizationId: string, triggerName: string): Promise<Hook[]> {
  const rows = await queries.rows(sql<{ webhook_id: string; on_failure: OnFailure }>`
    select webhook_id, on_failure from triggers
     where org_id = ${organizationId} and name = ${triggerName} and type = 'sync_hook' order by webhook_id`)
  return rows.map((row) => ({ webhookId: row.webhook_id, onFailure: row.on_failure }))
}

type TargetRow = StoredTarget & {
  org_id: string
  id: string
  /** From `<type> <name>` to the creation time in milliseconds. */
  triggers: Record<string, number>
  is_restored: boolean
}

/** The targets of webhooks for deliveries and hooks. By index probes per webhook. */
export const loadTargetRows = (
  queries: Queries,
  organizationIds: string[],
  webhookIds: string[],
  lane: LaneOfWebhook,
): Promise<TargetRow[]> =>
  queries.rows(sql<TargetRow>`
    select w.org_id, w.id, w.target_url, w.timeout_ms, w.custom_headers,
           (select coalesce(json_object_agg(t.type || ' ' || t.name, extract(epoch from t.created_at) * 1000), '{}')
              from triggers t where t.org_id = w.org_id and t.webhook_id = w.id) as triggers,
           ${lane.isRestored}
      from unnest(${organizationIds}::uuid[], ${webhookIds}::uuid[]) as wanted (org_id, id)
      cross join lateral (
        select * from webhooks where org_id = wanted.org_id and id = wanted.id limit 1) w`)

/** By name, or the one with the id. */
export const searchWebhooks = (queries: Queries, organizationId: string, { text, id, limit }: SearchTerm) =>
  queries.rows(sql<{ id: string; name: string }>`
    select id, name from webhooks where org_id = ${organizationId} and id = ${id}::uuid
    union
    (select id, name from webhooks
      where org_id = ${organizationId} and ${beginsWithAnyCase(fragment`name`, text)}
      order by lower(name) collate "C", id limit ${limit})
    order by 2`)
