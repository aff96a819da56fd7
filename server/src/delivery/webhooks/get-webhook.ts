import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import type { LaneOfWebhook } from './lane-of-webhook.ts'
import { noSuchWebhook, toRecord, WebhookPath, WebhookRecord, webhookIdIn } from './webhook-record.ts'
import { findWebhook } from './webhook-store.ts'

type Dependencies = { database: Database; keyring: Keyring; lane: LaneOfWebhook }

export const getWebhook = ({ database, keyring, lane }: Dependencies) =>
  operation({
    id: 'getWebhook',
    method: 'GET',
    path: '/organizations/webhooks/:webhook_id',
    scope: 'webhooks:read',
    tag: 'Webhooks',
    summary: 'Get a webhook',
    description: 'Its custom headers are shown to admin keys only.',
    params: WebhookPath,
    result: WebhookRecord,
    handle: async (call) => {
      const webhook = await findWebhook(database.read, call.organizationId, webhookIdIn(call.params), lane)
      if (!webhook) throw noSuchWebhook()
      return toRecord(webhook, keyring, call)
    },
  })
