import type { Database, Transaction } from '../database/database.ts'
import { violates } from '../database/postgres-error.ts'
import { operation } from '../http/operation.ts'
import type { Keyring } from '../keys/index.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { encryptHeaders } from './encrypted-headers.ts'
import type { Revoke } from './revoke.ts'
import { checkFields, readChanges, WebhookChanges } from './webhook-fields.ts'
import { noSuchWebhook, targetTaken, toRecord, WebhookPath, WebhookRecord, webhookIdIn } from './webhook-record.ts'
import { findWebhook, updateWebhook } from './webhook-store.ts'

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  /** Ports allowed in targets; absent: all. */
  allowPorts?: ReadonlySet<number> | undefined
  /** Called when a lane has become due. */
  wake: (organizationId: string, webhookIds: string[]) => void
  revoke: Revoke
  pauseLane: (tx: Transaction, organizationId: string, webhookId: string) => Promise<void>
  /** Returns whether the lane was paused. */
  resumeLane: (tx: Transaction, organizationId: string, webhookId: string, now: string) => Promise<boolean>
}

export const changeWebhook = (dependencies: Dependencies) => {
  const { database, clock, keyring, allowPorts, wake, revoke, pauseLane, resumeLane } = dependencies
  const resume = async (tx: Transaction, organizationId: string, webhookId: string) => {
    if (await resumeLane(tx, organizationId, webhookId, toTimestamp(clock.now())))
      tx.afterCommit(() => wake(organizationId, [webhookId]))
  }

  return operation({
    id: 'changeWebhook',
    method: 'PATCH',
    path: '/organizations/webhooks/:webhook_id',
    access: 'key',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'What is absent stays; `null` restores the default; `custom_headers` given replaces all of them. Deliveries that ' +
      'are pending go to the new target with the new headers. A target that another webhook of the organization has: 409.' +
      '\n\n`"enabled": false` pauses its event triggers: deliveries that are not under way are held. ' +
      '`"enabled": true` resumes them: what was held goes out, with a new window for its retries. Sync hooks are not ' +
      'concerned.',
    params: WebhookPath,
    body: WebhookChanges,
    rules: [({ body }) => checkFields(body, allowPorts)],
    status: 200,
    result: WebhookRecord,
    refusals: [409],
    handle: async (call) => {
      const { organizationId, params, body } = call
      const webhookId = webhookIdIn(params)
      const changes = readChanges(body, (headers) => encryptHeaders(keyring, organizationId, headers), allowPorts)
      const change = async (tx: Transaction) => {
        // Lock order: the webhook before its lane.
        let webhook = await updateWebhook(tx, organizationId, webhookId, changes)
        if (webhook && body.enabled !== undefined) {
          await (body.enabled ? resume : pauseLane)(tx, organizationId, webhookId)
          webhook = await findWebhook(tx, organizationId, webhookId)
        }
        if (!webhook) throw noSuchWebhook()
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
