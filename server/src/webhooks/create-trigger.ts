import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { checkTrigger, NewTrigger, readTrigger } from './trigger.ts'
import { noSuchWebhook, WebhookPath, webhookIdIn } from './webhook-record.ts'
import { insertTrigger } from './webhook-store.ts'

export const createTrigger = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'createTrigger',
    method: 'POST',
    path: '/organizations/webhooks/:webhook_id/triggers',
    access: 'key',
    scope: ['webhooks:write', 'events:read'],
    tag: 'Webhooks',
    summary: 'Create a trigger for a webhook',
    description:
      'From now on the webhook is called when the trigger fires. A trigger that the webhook has already stays as it is, ' +
      '`on_failure` included.',
    params: WebhookPath,
    body: NewTrigger,
    rules: [({ body }) => checkTrigger(body)],
    status: 201,
    handle: async ({ organizationId, params, body }) => {
      const webhookId = webhookIdIn(params)
      const trigger = readTrigger(body)
      const now = toTimestamp(clock.now())
      if (!(await insertTrigger(database.write, organizationId, webhookId, trigger, now))) throw noSuchWebhook()
    },
  })
