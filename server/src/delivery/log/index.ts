/**
 * The delivery log: what became of each delivery, shown to its organization, and how to deliver once more.
 *
 * Owns: /organizations/webhooks/{webhook_id}/deliveries, …/deliveries/{delivery_id}, its /redeliver and its /sign, …/redeliver, …/try and
 * …/delivery-counts, /organizations/deliveries, and of logout tokens /organizations/applications/{client_id}/deliveries,
 * …/deliveries/{delivery_id} and its /redeliver. No table, for it only reads those of `queue`.
 * Leaves to `events` what is signed anew, and to `queue` all that happens to a delivery, also that it goes back into the queue: that
 * function is handed in.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { getDelivery } from './get-delivery.ts'
import { getDeliveryCounts } from './get-delivery-counts.ts'
import { getLogout } from './get-logout.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listLogouts } from './list-logouts.ts'
import { redeliver } from './redeliver.ts'
import { redeliverLogout } from './redeliver-logout.ts'
import { redeliverSpan } from './redeliver-span.ts'
import { searchDeliveries } from './search-deliveries.ts'
import { signDelivery } from './sign-delivery.ts'
import { tryDelivery } from './try-delivery.ts'

export { deliveriesOf } from './search-deliveries.ts'

type Dependencies = Parameters<typeof redeliver>[0] &
  Parameters<typeof getDelivery>[0] &
  Parameters<typeof tryDelivery>[0]
type LogoutDependencies = Parameters<typeof getLogout>[0] & Parameters<typeof redeliverLogout>[0]

export const deliveryLogOperations = (dependencies: Dependencies): Operation[] => [
  listDeliveries(dependencies),
  getDelivery(dependencies),
  redeliver(dependencies),
  redeliverSpan(dependencies),
  tryDelivery(dependencies),
  getDeliveryCounts(dependencies),
  searchDeliveries(dependencies),
]

export const logoutLogOperations = (dependencies: LogoutDependencies): Operation[] => [
  listLogouts(dependencies),
  getLogout(dependencies),
  redeliverLogout(dependencies),
]

export const signingOperations = (dependencies: Parameters<typeof signDelivery>[0]): Operation[] => [
  signDelivery(dependencies),
]
