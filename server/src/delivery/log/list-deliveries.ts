import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { createCursors } from '../../ground/http/chain/cursor.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { hasWebhook, noSuchWebhook, WebhookPath, webhookIdIn } from '../webhooks/index.ts'
import { DeliveryRecord, Status, TriggerName, toRecord } from './delivery-record.ts'
import { allIds, searchDeliveries } from './delivery-search-store.ts'

export const listDeliveries = ({ database }: { database: Database }) => {
  const cursors = createCursors('deliveries', isUuid)
  return operation({
    id: 'listDeliveries',
    method: 'GET',
    path: '/organizations/webhooks/:webhook_id/deliveries',
    scope: 'deliveries:read',
    tag: 'Deliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'The newest event first, those that wait and those that are finished together. With a filter a page may have fewer ' +
      'than `limit`, or none, and `meta.next` all the same: go on until it is absent.',
    params: WebhookPath,
    query: Type.Object({ status: Type.Optional(Status), trigger_name: Type.Optional(TriggerName) }),
    result: DeliveryRecord,
    paged: 'cursor',
    handle: async ({ organizationId, params, query: { status, trigger_name: triggerName, after, limit } }) => {
      const webhookId = webhookIdIn(params)
      const before = after === undefined ? allIds.before : { ...allIds.before, eventId: cursors.read(after) }
      if (!(await hasWebhook(database.pages, organizationId, webhookId))) throw noSuchWebhook()
      const search = { ...allIds, webhookId, status, triggerName, before, limit }
      const { deliveries, next } = await searchDeliveries(database.pages, organizationId, search)
      return {
        items: deliveries.map((delivery) => toRecord(webhookId, delivery)),
        next: next && cursors.write(next.eventId),
      }
    },
  })
}
