import { rules } from '../rules.ts'
import { finish, type Model, putBack } from './model.ts'

/** An attempt that nobody knows the end of keeps its number, and takes nothing from the window. */
export function rescue({ deliveries }: Model, now: number) {
  for (const delivery of deliveries)
    if (delivery.claim && delivery.claim.leaseEndsAt < now) {
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
