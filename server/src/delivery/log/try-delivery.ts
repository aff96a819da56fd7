import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { conflict } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { named, Uuid } from '../../ground/http/chain/schemas.ts'
import type { Chosen, chooseToTry } from '../queue/index.ts'
import { noSuchWebhook, WebhookPath, webhookIdIn } from '../webhooks/index.ts'

type Dependencies = {
  database: Database
  chooseToTry: typeof chooseToTry
  /** To be called after the commit. */
  trySoon: () => void
}

const TriedDelivery = named(
  'TriedDelivery',
  Type.Object(
    {
      delivery_id: { ...Uuid, description: 'The delivery that is attempted: its log tells how that ends.' },
      attempts_count: Type.Integer({
        description: 'How many attempts were made of it before: the one that follows is the new one.',
        examples: [3],
      }),
    },
    { description: 'Which delivery is attempted now.' },
  ),
)

export const tryDelivery = ({ database, chooseToTry, trySoon }: Dependencies) =>
  operation({
    id: 'tryDelivery',
    method: 'POST',
    path: '/organizations/webhooks/:webhook_id/try',
    scope: 'deliveries:write',
    tag: 'Deliveries',
    summary: 'Try one delivery now',
    description:
      'Has the delivery that would go next attempted at once, although the webhook is paused, or its receiver failed just now: to ' +
      'see whether it works again. Nothing else is sent. A success ends `failing_since`, and resumes nothing; a failure of one ' +
      'that is held is tried again once the webhook is resumed, and never the attempt after which it is dropped. 409: nothing ' +
      'waits, or an attempt is under way or asked for already.',
    params: WebhookPath,
    result: TriedDelivery,
    refusals: [409],
    handle: async ({ organizationId, record, params }) => {
      const webhookId = webhookIdIn(params)
      return database.transaction(async (tx) => {
        const { event_id: delivery_id, attempts_count } = deliveryIn(await chooseToTry(tx, organizationId, webhookId))
        await record(tx, organizationId, {
          target: { type: 'delivery', id: delivery_id },
          after: { webhook_id: webhookId },
        })
        tx.afterCommit(trySoon)
        return { delivery_id, attempts_count }
      })
    },
  })

function deliveryIn(chosen: Chosen) {
  if (chosen === 'no_webhook') throw noSuchWebhook()
  if (chosen === 'none') throw conflict('no_delivery_waits', 'webhook: has no delivery that waits for an attempt')
  if (chosen === 'busy') throw conflict('attempt_under_way', 'webhook: an attempt is under way, or is about to begin')
  if (chosen === 'not_here')
    throw conflict(
      'webhook_paused',
      'webhook: is paused because this database is a copy or its organization moves; it must be resumed first',
    )
  return chosen
}
