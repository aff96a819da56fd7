import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import type { LaneOfWebhook } from './lane-of-webhook.ts'
import { NameFilter } from './webhook-fields.ts'
import { toRecord, WebhookRecord } from './webhook-record.ts'
import { countWebhooks, listWebhooks as listWebhooksIn } from './webhook-store.ts'

type Dependencies = { database: Database; keyring: Keyring; lane: LaneOfWebhook }

export const listWebhooks = ({ database, keyring, lane }: Dependencies) =>
  operation({
    id: 'listWebhooks',
    method: 'GET',
    path: '/organizations/webhooks',
    scope: 'webhooks:read',
    tag: 'Webhooks',
    summary: 'List the webhooks',
    description: 'The newest first. Custom headers are shown to admin keys only.',
    query: Type.Object({ name: NameFilter }),
    result: WebhookRecord,
    paged: true,
    handle: async (call) => {
      const [webhooks, totalCount] = await Promise.all([
        listWebhooksIn(database.pages, call.organizationId, call.query, lane),
        countWebhooks(database.pages, call.organizationId, call.query.name),
      ])
      return { items: webhooks.map((webhook) => toRecord(webhook, keyring, call)), totalCount }
    },
  })
