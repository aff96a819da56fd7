import { rules } from '../rules.ts'
import { type Delivery, finish, type Model, putBack } from './model.ts'

/**
 * An attempt that nobody knows the end of keeps its number, and takes nothing from the window. A worker that has let the lease of
 * anything lapse that is not in the queue has lost all of that.
 */
export function rescue({ deliveries }: Model, now: number) {
  const isLate = ({ claim, createdAt }: Delivery) => claim?.isQueued === false && createdAt + rules.leaseMs < now
  const lost = new Set(deliveries.filter(isLate).map(({ claim }) => claim?.worker))
  for (const delivery of deliveries)
    if (
      delivery.claim &&
      (delivery.claim.isQueued ? delivery.claim.leaseEndsAt < now : lost.has(delivery.claim.worker))
    ) {
      delivery.isWoken = true
      putBack(delivery, now)
    }
}

export function sweep({ deliveries }: Model, now: number) {
  for (const delivery of deliveries.filter(({ status }) => status === 'pending')) {
    delivery.isWoken = true
    if (!delivery.webhook.isThere) finish(delivery, 'cancelled', 'webhook_deleted', now)
  }
}

export function expire({ deliveries }: Model, now: number) {
  for (const delivery of deliveries)
    if (delivery.status === 'pending' && delivery.createdAt < now - rules.retentionMs)
      finish(delivery, 'dropped', 'expired', now)
}
