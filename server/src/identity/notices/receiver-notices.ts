import {
  findFailingHooks,
  findFailingWebhooks,
  findPausedWebhooks,
  toLastError,
} from '../../delivery/statistics/index.ts'
import { dayMs } from '../../ground/runtime/clock.ts'
import { firstIdAt } from '../../ground/runtime/identifiers.ts'
import type { Find } from './finding.ts'

export const pausedWebhooks: Find = async ({ queries, organizationId, limit }) => {
  const webhooks = await findPausedWebhooks(queries, organizationId, limit)
  return webhooks.map((webhook) => ({
    ...(webhook.paused_at && { since: webhook.paused_at }),
    target: webhookOf(webhook),
    paused_reason: webhook.paused_reason,
    ...(webhook.failing_since && { failing_since: webhook.failing_since }),
    held: webhook.waiting,
    ...lastErrorOf(webhook),
  }))
}

export const failingWebhooks: Find = async ({ queries, organizationId, limit }) => {
  const webhooks = await findFailingWebhooks(queries, organizationId, limit)
  return webhooks.map((webhook) => ({
    since: webhook.failing_since,
    target: webhookOf(webhook),
    failing_since: webhook.failing_since,
    pending: webhook.waiting,
    ...lastErrorOf(webhook),
  }))
}

export const failingHooks: Find = async ({ queries, organizationId, now, limit }) => {
  // Runs of hooks that are older say nothing of today.
  const hooks = await findFailingHooks(queries, organizationId, { from: firstIdAt(now - dayMs), limit })
  return hooks.map((hook) => ({
    since: hook.failing_since,
    failing_since: hook.failing_since,
    target: webhookOf(hook),
    trigger_name: hook.trigger_name,
    on_failure: hook.on_failure,
    failed_runs: hook.failed_runs,
    ...lastErrorOf(hook),
  }))
}

const webhookOf = ({ id, name }: { id: string; name: string }) => ({
  type: 'webhook' as const,
  id,
  ...(name && { name }),
})

type Failed = Parameters<typeof toLastError>[0]

const lastErrorOf = (receiver: Failed | { failure: null }) =>
  receiver.failure === null ? {} : { last_error: toLastError(receiver) }
