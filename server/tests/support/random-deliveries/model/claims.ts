import { rules } from '../rules.ts'
import { type Claim, type Delivery, finish, inFlightOf, type Model, pendingOf, putBack, type Webhook } from './model.ts'

/** A webhook's calls are one worker's, as long as it has any. */
export const mayClaim = (model: Model, webhook: Webhook, worker: string) =>
  webhook.isThere && !webhook.pausedReason && inFlightOf(model, webhook).every(({ claim }) => claim?.worker === worker)

/** When the next webhook must be claimed from. */
export const nextDue = (model: Model, worker: string) =>
  Math.min(
    ...model.webhooks
      .filter((webhook) => mayClaim(model, webhook, worker) && inFlightOf(model, webhook).length === 0)
      .map((webhook) => owedAt(model, webhook)),
  )

/** When a webhook that has nothing in flight must be claimed from. */
const owedAt = (model: Model, webhook: Webhook) =>
  Math.max(
    webhook.cooldownUntil,
    Math.min(...pendingOf(model, webhook).map((each) => (each.isWoken ? each.dueAt : Infinity))),
  )

/** What is wrong with a claim of these deliveries; undefined: nothing. */
export function wrongWith(model: Model, claimed: Delivery[], worker: string, now: number): string | undefined {
  if (claimed.some(({ status, dueAt }) => status !== 'pending' || dueAt > now)) return 'it was not due'
  if (claimed.some(({ webhook }) => !mayClaim(model, webhook, worker)))
    return 'its webhook rests, or is called by another'
  for (const webhook of model.webhooks) {
    const wrong = wrongOf(model, webhook, claimed, worker, now)
    if (wrong) return wrong
  }
  return undefined
}

function wrongOf(model: Model, webhook: Webhook, claimed: Delivery[], worker: string, now: number) {
  const ofWebhook = claimed.filter((delivery) => delivery.webhook === webhook)
  const inFlight = inFlightOf(model, webhook).length
  const queued = inFlightOf(model, webhook).filter((each) => each.claim?.isQueued).length
  if (ofWebhook.length > 0 && ofWebhook.length + queued > webhook.maxInFlight) return 'more than the limit'
  const leftRetry = pendingOf(model, webhook).some((each) => isRetry(each, now) && !claimed.includes(each))
  if (ofWebhook.some(isFirst) && leftRetry) return 'a first attempt before one that is to be tried again'
  const isOwed = mayClaim(model, webhook, worker) && inFlight === 0 && owedAt(model, webhook) <= now
  return isOwed && ofWebhook.length === 0 ? 'nothing of a webhook that has something due' : undefined
}

const isFirst = ({ windowAttempts }: Delivery): boolean => windowAttempts === 0
const isRetry = ({ windowAttempts, dueAt }: Delivery, now: number): boolean => windowAttempts > 0 && dueAt <= now

/** The first attempt, and the first one after a resumption, is to open the window. */
export function claim(delivery: Delivery, worker: string, isQueued: boolean, now: number): Claim {
  const isBeforeResumption = (delivery.windowOpenedAt ?? -Infinity) < delivery.webhook.resumedAt
  if (isBeforeResumption || delivery.windowOpenedAt === undefined) {
    delivery.windowOpenedAt = undefined
    delivery.windowAttempts = 0
  }
  delivery.windowAttempts += 1
  delivery.attemptsCount += 1
  delivery.status = 'in_flight'
  const { trigger, attemptsCount: number } = delivery
  delivery.claim = { delivery, worker, trigger, number, leaseEndsAt: now + rules.leaseMs, isQueued }
  return delivery.claim
}

export const isCurrent = (claim: Claim) => claim.delivery.claim === claim

/** It was not called: as if it had not been claimed. */
export function release(claim: Claim, now: number) {
  if (!isCurrent(claim)) return
  claim.delivery.attemptsCount -= 1
  putBack(claim.delivery, now)
}

/** Nothing is called any more for a webhook or a trigger that is not there; undefined: it is called. */
export function cancellation({ delivery: { webhook }, trigger }: Claim): string | undefined {
  if (!webhook.isThere) return 'webhook_deleted'
  return webhook.trigger === trigger ? undefined : 'trigger_deleted'
}

export function cancel(claim: Claim, reason: string, now: number) {
  if (!isCurrent(claim)) return
  claim.delivery.attemptsCount -= 1
  finish(claim.delivery, 'cancelled', reason, now)
}
