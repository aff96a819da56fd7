import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { createCursors } from '../http/cursor.ts'
import { operation } from '../http/operation.ts'
import { isUuid } from '../runtime/identifiers.ts'
import { noSuchWebhook, WebhookPath, webhookIdIn } from '../webhooks/index.ts'
import { findWaitingStatus, pageOfDeliveries } from './delivery-log-store.ts'
import { DeliveryRecord, Status, TriggerName, toRecord } from './delivery-record.ts'

/** After the id of every event. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const listDeliveries = ({ database }: { database: Database }) => {
  const cursors = createCursors('deliveries', isUuid)
  return operation({
    id: 'listDeliveries',
    method: 'GET',
    path: '/organizations/webhooks/:webhook_id/deliveries',
    access: 'key',
    scope: 'deliveries:read',
    tag: 'Deliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'The newest event first, those that wait and those that are finished together. With a filter a page may have fewer ' +
      'than `limit`, or none, and `meta.next` all the same: go on until it is absent.',
    params: WebhookPath,
    query: Type.Object({ status: Type.Optional(Status), trigger_name: Type.Optional(TriggerName) }),
    status: 200,
    result: DeliveryRecord,
    paged: 'cursor',
    handle: async ({ organizationId, params, query: { status, trigger_name: triggerName, after, limit } }) => {
      const webhookId = webhookIdIn(params)
      const before = after === undefined ? newest : cursors.read(after)
      const waiting = await findWaitingStatus(database.pages, organizationId, webhookId)
      if (!waiting) throw noSuchWebhook()
      const search = { waiting, status, triggerName, before, limit }
      const { deliveries, next } = await pageOfDeliveries(database.pages, organizationId, webhookId, search)
      return { items: deliveries.map((delivery) => toRecord(webhookId, delivery)), next: next && cursors.write(next) }
    },
  })
}
