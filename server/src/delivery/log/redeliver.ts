import type { Database } from '../../ground/database/database.ts'
import { badRequest, conflict } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { timeOf } from '../../ground/runtime/identifiers.ts'
import type { Wake } from '../queue/index.ts'
import { keptSince, type reopenDeliveries } from '../queue/index.ts'
import { hasTrigger } from '../webhooks/index.ts'
import { DeliveryPath, deliveryIn, tooOld } from './delivery-record.ts'
import { loadDelivery } from './get-delivery.ts'

export type Redelivery = {
  database: Database
  clock: Clock
  wake: Wake
  reopenDeliveries: typeof reopenDeliveries
  /** How long events are kept. */
  retentionMs: number
}

export const redeliver = ({ database, clock, wake, reopenDeliveries, retentionMs }: Redelivery) =>
  operation({
    id: 'redeliver',
    method: 'POST',
    path: '/organizations/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    scope: 'deliveries:write',
    tag: 'Deliveries',
    summary: 'Deliver once more',
    description:
      'Opens a finished delivery again, whatever became of it: it is due at once, has a new window for its retries, is ' +
      'signed anew with the same `sub`, and its attempts go on counting. 409: it is not finished, its trigger is no longer ' +
      'there, or its event is older than events are kept. 400: it is a hook run, whose sign-in is over.',
    params: DeliveryPath,
    status: 202,
    refusals: [409],
    handle: async ({ organizationId, record, params }) => {
      const { webhookId, eventId } = deliveryIn(params)
      const now = clock.now()
      const delivery = await loadDelivery(database.read, organizationId, webhookId, eventId)
      const { finished_at, trigger_type, trigger_name } = delivery
      if (trigger_type === 'sync_hook') throw isHookRun()
      if (!finished_at) throw notFinished()
      if (timeOf(eventId) < keptSince(now, retentionMs)) throw tooOld(retentionMs)
      const isReopened = await database.transaction(async (tx) => {
        if ((await reopenDeliveries(tx, organizationId, webhookId, [eventId], toTimestamp(now))) === 0) return false
        const target = { type: 'delivery' as const, id: eventId }
        await record(tx, organizationId, { target, after: { webhook_id: webhookId, trigger_name, status: 'pending' } })
        tx.afterCommit(() => wake(organizationId, [webhookId]))
        return true
      })
      if (isReopened) return
      // Another call was faster, unless the trigger is gone.
      throw (await hasTrigger(database.read, organizationId, webhookId, trigger_name)) ? notFinished() : triggerGone()
    },
  })

const isHookRun = () => badRequest('delivery_not_repeatable', 'delivery: is a hook run, which is over with its sign-in')
const notFinished = () =>
  conflict(
    'delivery_not_finished',
    'delivery: is not finished; pausing and resuming its webhook has what waits tried sooner',
  )
const triggerGone = () => conflict('delivery_not_repeatable', 'delivery: its trigger is no longer there')
