/**
 * The delivery log: what became of each delivery, for the organization that waits for it, and how to have it made again.
 *
 * Owns: /organizations/webhooks/{webhook_id}/deliveries, …/deliveries/{delivery_id} and its /redeliver, …/redeliver,
 * …/delivery-counts; what is read of the tables finished_deliveries and delivery_counts, and the way back from the log
 * into the queue. Reads the queue and whether a lane is paused.
 * Leaves to `delivery` all that happens to a delivery in the queue, its move to the log and the counting of it; to
 * `webhooks` the pause itself.
 */
import type { Operation } from '../http/operation.ts'
import { getDelivery } from './get-delivery.ts'
import { getDeliveryCounts } from './get-delivery-counts.ts'
import { listDeliveries } from './list-deliveries.ts'
import { redeliver } from './redeliver.ts'
import { redeliverSpan } from './redeliver-span.ts'

export const deliveryLogOperations = (dependencies: Parameters<typeof redeliver>[0]): Operation[] => [
  listDeliveries(dependencies),
  getDelivery(dependencies),
  redeliver(dependencies),
  redeliverSpan(dependencies),
  getDeliveryCounts(dependencies),
]
