import { mayClaim } from './claims.ts'
import { type Delivery, deliveriesOf, inFlightOf, type Model, type Webhook } from './model.ts'

type Published = { eventId: string; createdAt: number }

/**
 * Gives what the worker that may claim on publish, if any, claims with it, and the webhooks that have what waits. `due`:
 * the lanes, by their webhooks, that are to be claimed from already, perhaps in vain.
 */
export function publish(model: Model, events: Published[], now: number, due: string[], worker?: string) {
  const claimed: Delivery[] = []
  const waiting: Webhook[] = []
  for (const webhook of model.webhooks.filter(({ trigger }) => trigger !== undefined)) {
    const mayClaimOnPublish = worker !== undefined && !due.includes(webhook.id)
    const isClaimed = mayClaimOnPublish && mustClaimAsPublished(model, webhook, events.length, worker, now)
    const published = events.map((event) => newDelivery(webhook, event, now))
    if (isClaimed) claimed.push(...published)
    else waiting.push(webhook)
    model.deliveries.push(...published)
  }
  return { claimed, waiting }
}

/** The lane of a webhook was woken. */
export function wake(model: Model, webhook: Webhook) {
  for (const delivery of deliveriesOf(model, webhook)) delivery.isWoken = true
}

/** Half of its max in flight is left to what waits. */
const mustClaimAsPublished = (model: Model, webhook: Webhook, count: number, worker: string, now: number) =>
  mayClaim(model, webhook, worker) &&
  webhook.isHealthy &&
  webhook.cooldownUntil <= now &&
  inFlightOf(model, webhook).length < webhook.maxInFlight / 2 &&
  count <= webhook.maxInFlight / 2

const newDelivery = (webhook: Webhook, { eventId, createdAt }: Published, now: number): Delivery => ({
  webhook,
  eventId,
  createdAt,
  trigger: webhook.trigger,
  status: 'pending',
  attemptsCount: 0,
  log: [],
  dueAt: now,
  windowAttempts: 0,
  isWoken: false,
})
