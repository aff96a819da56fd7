import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { requireHookScope } from './hook-scope.ts'
import type { LaneOfWebhook } from './lane-of-webhook.ts'
import type { Revoke } from './revoke.ts'
import { toTriggerRecord } from './trigger.ts'
import { noSuchWebhook, toAudited, WebhookPath, webhookIdIn } from './webhook-record.ts'
import { listTriggers, lockWebhook, removeWebhook } from './webhook-store.ts'

type Dependencies = { database: Database; keyring: Keyring; lane: LaneOfWebhook; revoke: Revoke }

export const deleteWebhook = ({ database, keyring, lane, revoke }: Dependencies) =>
  operation({
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/organizations/webhooks/:webhook_id',
    scope: 'webhooks:write',
    recentSignIn: true,
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description:
      'With its triggers. Nothing new is sent after the response; calls that are under way may end. Pending deliveries are ' +
      'cancelled. One that has a synchronous hook also needs the scope `hooks:write`.',
    params: WebhookPath,
    status: 204,
    handle: async ({ organizationId, principal, record, params }) => {
      const webhookId = webhookIdIn(params)
      await database.transaction(async (tx) => {
        const [webhook, triggers = []] = await Promise.all([
          lockWebhook(tx, organizationId, webhookId, lane),
          listTriggers(tx, organizationId, webhookId),
        ])
        if (!webhook) throw noSuchWebhook()
        requireHookScope(principal, triggers, 'triggers')
        await removeWebhook(tx, organizationId, webhookId)
        const before = { ...toAudited(webhook, keyring, organizationId), triggers: triggers.map(toTriggerRecord) }
        await record(tx, organizationId, { target: { type: 'webhook', id: webhookId }, before })
      })
      await revoke(webhookId)
    },
  })
