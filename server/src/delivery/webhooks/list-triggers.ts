import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { TriggerRecord, toTriggerRecord } from './trigger.ts'
import { noSuchWebhook, WebhookPath, webhookIdIn } from './webhook-record.ts'
import { listTriggers as listTriggersIn } from './webhook-store.ts'

export const listTriggers = ({ database }: { database: Database }) =>
  operation({
    id: 'listTriggers',
    method: 'GET',
    path: '/organizations/webhooks/:webhook_id/triggers',
    scope: 'webhooks:read',
    tag: 'Webhooks',
    summary: 'List the triggers of a webhook',
    description: 'By type and name. `on_failure` is shown of synchronous hooks.',
    params: WebhookPath,
    result: TriggerRecord,
    paged: true,
    handle: async ({ organizationId, params, query: { limit, offset } }) => {
      const triggers = await listTriggersIn(database.pages, organizationId, webhookIdIn(params))
      if (!triggers) throw noSuchWebhook()
      // The number of triggers is bounded by the number of names, so the page is cut in memory.
      const page = triggers.slice(offset, offset + limit)
      return { items: page.map(toTriggerRecord), totalCount: triggers.length }
    },
  })
