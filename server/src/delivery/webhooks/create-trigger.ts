import type { Database } from '../../ground/database/database.ts'
import { conflict } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { requireHookScope } from './hook-scope.ts'
import { checkTrigger, NewTrigger, readTrigger, type Trigger, toTriggerRecord } from './trigger.ts'
import { noSuchWebhook, WebhookPath, webhookIdIn } from './webhook-record.ts'
import { insertTrigger } from './webhook-store.ts'

export const createTrigger = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'createTrigger',
    method: 'POST',
    path: '/organizations/webhooks/:webhook_id/triggers',
    scope: ['webhooks:write', 'events:read'],
    tag: 'Webhooks',
    summary: 'Create a trigger for a webhook',
    description:
      'From now on the webhook is called when the trigger fires. A trigger that the webhook has already stays as it is; with ' +
      'another `on_failure` than it has: 409. A synchronous hook also needs the scope `hooks:write`.',
    params: WebhookPath,
    body: NewTrigger,
    rules: [({ body }) => checkTrigger(body)],
    status: 201,
    refusals: [409],
    handle: async ({ organizationId, principal, record, params, body }) => {
      const webhookId = webhookIdIn(params)
      const trigger = readTrigger(body)
      requireHookScope(principal, [trigger], 'trigger_type')
      const now = toTimestamp(clock.now())
      return database.transaction(async (tx) => {
        const stored = await insertTrigger(tx, organizationId, webhookId, trigger, now)
        if (!stored) throw noSuchWebhook()
        if (stored.onFailure !== trigger.onFailure) throw standsOtherwise(stored)
        const target = { type: 'webhook' as const, id: webhookId }
        if (stored.isNew) await tx.last(() => record(tx, organizationId, { target, after: toTriggerRecord(trigger) }))
      })
    },
  })

const standsOtherwise = ({ onFailure }: Pick<Trigger, 'onFailure'>) =>
  conflict(
    'already_exists',
    `on_failure: is ${onFailure} for this trigger already; delete the trigger before you create it with another one`,
  )
