import { type Database, violates } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import type { Vault } from '../keys/index.ts'
import { sealHeaders } from './sealed-headers.ts'
import { readChanges, WebhookChanges } from './webhook-fields.ts'
import { noSuchWebhook, targetTaken, toRecord, WebhookPath, WebhookRecord, webhookIdIn } from './webhook-record.ts'
import { updateWebhook } from './webhook-store.ts'

export const changeWebhook = ({ database, vault }: { database: Database; vault: Vault }) =>
  operation({
    method: 'PATCH',
    path: '/organizations/webhooks/:webhook_id',
    access: 'key',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'What is absent stays; `null` restores the default; `custom_headers` given replaces all of them. Deliveries that ' +
      'are pending go to the new target with the new headers. A target that another webhook of the organization has: 409.',
    params: WebhookPath,
    body: WebhookChanges,
    status: 200,
    result: WebhookRecord,
    refusals: [409],
    handle: async (call) => {
      const { organizationId, params, body } = call
      const webhookId = webhookIdIn(params)
      const changes = readChanges(body, (headers) => sealHeaders(vault, organizationId, headers))
      const webhook = await updateWebhook(database.write, organizationId, webhookId, changes).catch((error) => {
        throw violates(error, 'webhooks_by_target') ? targetTaken() : error
      })
      if (!webhook) throw noSuchWebhook()
      return toRecord(webhook, vault, call)
    },
  })
