import type { Database, Transaction } from '../../ground/database/database.ts'
import { violates } from '../../ground/database/postgres-error.ts'
import { forbidden } from '../../ground/errors.ts'
import { type OperationInput, operation } from '../../ground/http/chain/operation.ts'
import { requireScopeFor } from '../../ground/http/chain/require-scopes.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { encryptHeaders } from './encrypted-headers.ts'
import { requireHookScopeToChange } from './hook-scope.ts'
import type { LaneOfWebhook } from './lane-of-webhook.ts'
import type { Revoke } from './revoke.ts'
import { checkFields, readChanges, WebhookChanges } from './webhook-fields.ts'
import {
  noSuchWebhook,
  targetTaken,
  toAudited,
  toRecord,
  WebhookPath,
  WebhookRecord,
  webhookIdIn,
} from './webhook-record.ts'
import { findWebhook, listTriggers, lockWebhook, type StoredWebhook, updateWebhook } from './webhook-store.ts'

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  /** Ports allowed in targets; absent: all. */
  allowPorts?: ReadonlySet<number> | undefined
  /** Called when a lane has become due. */
  wake: (organizationId: string, webhookIds: string[]) => void
  lane: LaneOfWebhook
  revoke: Revoke
  pauseLane: (tx: Transaction, organizationId: string, webhookId: string, now: string) => Promise<unknown>
  /** Returns whether the lane was paused. */
  resumeLane: (tx: Transaction, organizationId: string, webhookId: string, now: string) => Promise<boolean>
}

export const changeWebhook = (dependencies: Dependencies) => {
  const { database, clock, keyring, allowPorts, lane, wake, revoke, pauseLane, resumeLane } = dependencies
  const resume = async (tx: Transaction, organizationId: string, webhookId: string) => {
    if (await resumeLane(tx, organizationId, webhookId, toTimestamp(clock.now())))
      tx.afterCommit(() => wake(organizationId, [webhookId]))
  }

  const shown = (webhook: StoredWebhook, organizationId: string) => toAudited(webhook, keyring, organizationId)
  return operation({
    id: 'changeWebhook',
    method: 'PATCH',
    path: '/organizations/webhooks/:webhook_id',
    scope: 'webhooks:write',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'What is absent stays; `null` restores the default; `custom_headers` given replaces all of them. Deliveries that ' +
      'are pending go to the new target with the new headers. A target that another webhook of the organization has: 409.' +
      '\n\n`"enabled": false` pauses its event triggers: deliveries that are not under way are held. ' +
      '`"enabled": true` resumes them: what was held goes out, with a new window for its retries. Synchronous hooks are not ' +
      'affected.' +
      '\n\nA new `target_url` of a webhook with triggers also needs the scope `events:read`, for its events go there; and ' +
      'where the webhook has custom headers, which go there too, a key that is no admin key must replace them. With a synchronous hook a change of ' +
      '`target_url`, `custom_headers` or `timeout` needs the scope `hooks:write`, and so does resuming one that was restored.',
    params: WebhookPath,
    body: WebhookChanges,
    rules: [({ body }) => checkFields(body, allowPorts)],
    result: WebhookRecord,
    refusals: [409],
    handle: async (call) => {
      const { organizationId, params, body } = call
      const webhookId = webhookIdIn(params)
      const changes = readChanges(body, (headers) => encryptHeaders(keyring, organizationId, headers), allowPorts)
      const change = async (tx: Transaction) => {
        // Lock order: the webhook before its lane.
        const before = await lockWebhook(tx, organizationId, webhookId, lane)
        if (!before) throw noSuchWebhook()
        await requireHookScopeToChange(tx, { ...call, before, changes, enabled: body.enabled })
        if (!call.isAdmin && body.target_url !== undefined) await requireRedirect(tx, webhookId, { ...call, lane })
        let webhook = await updateWebhook(tx, organizationId, webhookId, changes, lane)
        if (webhook && body.enabled !== undefined) {
          if (body.enabled) await resume(tx, organizationId, webhookId)
          else await pauseLane(tx, organizationId, webhookId, toTimestamp(clock.now()))
          webhook = await findWebhook(tx, organizationId, webhookId, lane)
        }
        if (!webhook) throw noSuchWebhook()
        await call.record(tx, organizationId, {
          target: { type: 'webhook', id: webhookId },
          before: shown(before, organizationId),
          after: shown(webhook, organizationId),
        })
        return webhook
      }
      const webhook = await database.transaction(change).catch((error) => {
        throw violates(error, 'webhooks_by_target') ? targetTaken() : error
      })
      await revoke(webhookId)
      return toRecord(webhook, keyring, call)
    },
  })
}

type Redirect = Pick<OperationInput<unknown, unknown, WebhookChanges>, 'organizationId' | 'principal' | 'body'> & {
  lane: LaneOfWebhook
}

/** Throws a 403 where a key that is no admin key would have events or custom headers that it may not read sent to itself. */
async function requireRedirect(
  tx: Transaction,
  webhookId: string,
  { organizationId, principal, body, lane }: Redirect,
) {
  const webhook = await findWebhook(tx, organizationId, webhookId, lane)
  if (!webhook || webhook.target_url === body.target_url) return
  if (webhook.custom_headers && body.custom_headers === undefined)
    throw forbidden(
      'admin_required',
      'custom_headers: is required with a new target_url, unless the key is an admin key',
    )
  const triggers = (await listTriggers(tx, organizationId, webhookId)) ?? []
  if (triggers.length > 0) requireScopeFor('target_url', principal, 'events:read')
}
