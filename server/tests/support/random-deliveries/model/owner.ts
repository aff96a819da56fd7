import { rules } from '../rules.ts'
import { type Delivery, type Model, pendingOf, type Webhook } from './model.ts'

/** What the changes of an owner mean. */
export function addWebhook(model: Model, id: string): Webhook {
  const webhook: Webhook = {
    id,
    isThere: true,
    trigger: model.triggers++,
    counts: new Map(),
    isHealthy: false,
    failures: 0,
    callsAtOnce: rules.callsAtOnce,
    maxInFlight: rules.callsAtOnce,
    resumedAt: -Infinity,
    cooldownUntil: -Infinity,
  }
  model.webhooks.push(webhook)
  return webhook
}

export function removeWebhook(webhook: Webhook) {
  Object.assign(webhook, { isThere: false, trigger: undefined, pausedReason: undefined })
}

export function addTrigger(model: Model, webhook: Webhook) {
  webhook.trigger ??= model.triggers++
}

export function removeTrigger(webhook: Webhook) {
  webhook.trigger = undefined
}

export function pause(webhook: Webhook) {
  webhook.pausedReason ??= 'requested'
}

export function resume(model: Model, webhook: Webhook, now: number) {
  if (!webhook.pausedReason) return
  Object.assign(webhook, {
    pausedReason: undefined,
    resumedAt: now,
    failingSince: undefined,
    cooldownUntil: -Infinity,
    failures: 0,
    callsAtOnce: rules.callsAtOnce,
  })
  if (!webhook.isHealthy && webhook.maxInFlight === 1) webhook.maxInFlight = rules.callsAtOnce
  for (const delivery of pendingOf(model, webhook)) {
    delivery.dueAt = Math.min(delivery.dueAt, now)
    delivery.isWoken = true
  }
}

export const mayRedeliver = ({ webhook, finishedAt, createdAt }: Delivery, now: number) =>
  finishedAt !== undefined && webhook.trigger !== undefined && createdAt >= now - rules.retentionMs

export function redeliver(delivery: Delivery, now: number) {
  Object.assign(delivery, {
    status: 'pending',
    reason: undefined,
    finishedAt: undefined,
    dueAt: now,
    trigger: delivery.webhook.trigger,
    windowAttempts: 0,
    windowOpenedAt: undefined,
    isWoken: false,
  })
}
