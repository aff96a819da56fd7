import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { requireHookScope } from './hook-scope.ts'
import type { Revoke } from './revoke.ts'
import { readTrigger, toTriggerRecord, triggerFields } from './trigger.ts'
import { WebhookPath, webhookIdIn } from './webhook-record.ts'
import { removeTrigger } from './webhook-store.ts'

export const deleteTrigger = ({ database, revoke }: { database: Database; revoke: Revoke }) =>
  operation({
    id: 'deleteTrigger',
    method: 'DELETE',
    path: '/organizations/webhooks/:webhook_id/triggers',
    scope: ['webhooks:write', 'events:read'],
    tag: 'Webhooks',
    summary: 'Delete a trigger of a webhook',
    description:
      'Nothing new is sent for it after the response; calls that are under way may end. Its pending deliveries are cancelled. ' +
      'A synchronous hook also needs the scope `hooks:write`.',
    params: WebhookPath,
    query: Type.Object(triggerFields),
    status: 204,
    handle: async ({ organizationId, principal, record, params, query }) => {
      const webhookId = webhookIdIn(params)
      const wanted = readTrigger(query)
      requireHookScope(principal, [wanted], 'trigger_type')
      await database.transaction(async (tx) => {
        const trigger = await removeTrigger(tx, organizationId, webhookId, wanted)
        if (!trigger) throw notFound('trigger')
        const target = { type: 'webhook' as const, id: webhookId }
        await tx.last(() => record(tx, organizationId, { target, before: toTriggerRecord(trigger) }))
      })
      await revoke(webhookId)
    },
  })
