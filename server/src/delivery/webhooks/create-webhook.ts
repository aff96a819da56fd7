import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { withinLimit } from '../../ground/limits/index.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { encryptHeaders } from './encrypted-headers.ts'
import type { LaneOfWebhook } from './lane-of-webhook.ts'
import { checkFields, NewWebhook, readNewWebhook } from './webhook-fields.ts'
import { targetTaken, toAudited, toRecord, WebhookRecord } from './webhook-record.ts'
import { countWebhooks, insertWebhook } from './webhook-store.ts'

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  allowPorts?: ReadonlySet<number> | undefined
  lane: LaneOfWebhook
}

export const createWebhook = ({ database, clock, keyring, allowPorts, lane }: Dependencies) =>
  operation({
    id: 'createWebhook',
    method: 'POST',
    path: '/organizations/webhooks',
    scope: 'webhooks:write',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'A new webhook has no triggers and is not called until it gets some. A target that another webhook of the ' +
      'organization has, however it is spelt: 409.',
    body: NewWebhook,
    rules: [({ body }) => checkFields(body, allowPorts)],
    status: 201,
    result: WebhookRecord,
    confidentialOf: 'id',
    refusals: [402, 409],
    handle: async (call) => {
      const {
        organizationId,
        record,
        limits: { max_webhooks: limit },
      } = call
      const now = clock.now()
      const columns = readNewWebhook(
        call.body,
        (headers) => encryptHeaders(keyring, organizationId, headers),
        allowPorts,
      )
      const webhook = { id: makeId(now), created_at: toTimestamp(now), ...columns }
      const created = await database.transaction(async (tx) => {
        const count = () => countWebhooks(tx, organizationId)
        await withinLimit(tx, organizationId, { limit, adding: 1, count, what: 'webhooks' })
        const inserted = await insertWebhook(tx, organizationId, webhook, lane)
        if (!inserted) throw targetTaken()
        const after = toAudited(inserted, keyring, organizationId)
        await tx.last(() => record(tx, organizationId, { target: { type: 'webhook', id: inserted.id }, after }))
        return inserted
      })
      return toRecord(created, keyring, call)
    },
  })
