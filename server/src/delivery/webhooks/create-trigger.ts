import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { requireHookScope } from './hook-scope.ts'
import { checkTrigger, NewTrigger, readTrigger, toTriggerRecord } from './trigger.ts'
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
      'From now on the webhook is called when the trigger fires. A trigger that the webhook has already stays as it is, ' +
      '`on_failure` included. A synchronous hook also needs the scope `hooks:write`.',
    params: WebhookPath,
    body: NewTrigger,
    rules: [({ body }) => checkTrigger(body)],
    status: 201,
    handle: async ({ organizationId, key, record, params, body }) => {
      const webhookId = webhookIdIn(params)
      const trigger = readTrigger(body)
      requireHookScope(key, [trigger], 'trigger_type')
      const now = toTimestamp(clock.now())
      return database.transaction(async (tx) => {
        const isNew = await insertTrigger(tx, organizationId, webhookId, trigger, now)
        if (isNew === undefined) throw noSuchWebhook()
        const target = { type: 'webhook' as const, id: webhookId }
        if (isNew) await tx.last(() => record(tx, organizationId, { target, after: toTriggerRecord(trigger) }))
      })
    },
  })
