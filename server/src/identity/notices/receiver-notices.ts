import { findFailingHooks, findFailingWebhooks, findPausedWebhooks, type LastError } from '../../delivery/log/index.ts'
import { firstIdAt, timeOf } from '../../ground/runtime/identifiers.ts'
import type { Find } from './finding.ts'

/** Runs of hooks that are older say nothing of today. */
const hookMs = 24 * 3_600_000

export const pausedWebhooks: Find = async ({ queries, organizationId, limit }) => {
  const webhooks = await findPausedWebhooks(queries, organizationId, limit)
  return webhooks.map((webhook) => ({
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
  const hooks = await findFailingHooks(queries, organizationId, { from: firstIdAt(now - hookMs), limit })
  return hooks.map((hook) => ({
    since: new Date(timeOf(hook.first_run)),
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

function lastErrorOf({ last_error }: { last_error: LastError | null }) {
  if (!last_error?.attempt) return {}
  const { delivery_id, attempt } = last_error
  const { started_at: at, error, status_code } = attempt
  return { last_error: { at, ...(error && { error }), ...(status_code && { status_code }), delivery_id } }
}
