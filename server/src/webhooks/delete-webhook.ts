import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import type { Revoke } from './revoke.ts'
import { noSuchWebhook, WebhookPath, webhookIdIn } from './webhook-record.ts'
import { removeWebhook } from './webhook-store.ts'

export const deleteWebhook = ({ database, revoke }: { database: Database; revoke: Revoke }) =>
  operation({
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/organizations/webhooks/:webhook_id',
    access: 'key',
    scope: 'webhooks:write',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description:
      'With its triggers. Nothing new is sent after the response; calls that are under way may end. Pending deliveries are ' +
      'cancelled.',
    params: WebhookPath,
    status: 204,
    handle: async ({ organizationId, params }) => {
      const webhookId = webhookIdIn(params)
      if (!(await removeWebhook(database.write, organizationId, webhookId))) throw noSuchWebhook()
      await revoke(webhookId)
    },
  })
