import type { Database, Queries } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { showAttempts } from '../webhooks/attempts/index.ts'
import { noSuchWebhook } from '../webhooks/index.ts'
import { findDelivery, findWaitingStatus } from './delivery-log-store.ts'
import { DeliveryPath, DeliveryWithAttempts, deliveryIn, noSuchDelivery, toRecord } from './delivery-record.ts'

export const getDelivery = ({ database, baseUrl }: { database: Database; baseUrl: string }) =>
  operation({
    id: 'getDelivery',
    method: 'GET',
    path: '/organizations/webhooks/:webhook_id/deliveries/:delivery_id',
    scope: 'deliveries:read',
    tag: 'Deliveries',
    summary: 'Get a delivery with its attempts',
    description: 'The newest attempt last.',
    params: DeliveryPath,
    result: DeliveryWithAttempts,
    handle: async ({ organizationId, params }) => {
      const { webhookId, eventId } = deliveryIn(params)
      const delivery = await loadDelivery(database.read, organizationId, webhookId, eventId)
      const { trigger_type: triggerType, trigger_name: triggerName, attempts } = delivery
      const invocation = { organizationId, webhookId, triggerType, triggerName, sub: eventId }
      return { ...toRecord(webhookId, delivery), attempts: showAttempts(attempts, invocation, baseUrl) }
    },
  })

/** Throws a 404 when the webhook, or the delivery, is not there. */
export async function loadDelivery(queries: Queries, organizationId: string, webhookId: string, eventId: string) {
  const waiting = await findWaitingStatus(queries, organizationId, webhookId)
  if (!waiting) throw noSuchWebhook()
  const delivery = await findDelivery(queries, organizationId, webhookId, eventId, waiting)
  if (!delivery) throw noSuchDelivery()
  return delivery
}
