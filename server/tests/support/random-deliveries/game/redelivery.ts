import { expect } from 'vitest'
import type { Delivery } from '../model/model.ts'
import * as model from '../model/owner.ts'
import { ask } from '../world/owner.ts'
import { type Game, nowOf, pick } from './game.ts'
import { wake } from './publishing.ts'
import { webhookPath } from './webhooks.ts'

/** A finished one, if there is any. */
export function deliveryToRedeliver({ model: { deliveries } }: Game, drawn: { nth: number }): Delivery | undefined {
  const finished = deliveries.filter(({ finishedAt }) => finishedAt !== undefined)
  return pick(finished, drawn) ?? pick(deliveries, drawn)
}

export async function redeliver(game: Game, delivery: Delivery) {
  const { webhook, eventId } = delivery
  const params = { webhook_id: webhook.id, delivery_id: eventId }
  const name = `POST ${webhookPath}/deliveries/:delivery_id/redeliver`
  const answer = await ask(game.world, game.organizationId, name, { params })
  const may = model.mayRedeliver(delivery, nowOf(game))
  expect(answer).toBe(!webhook.isThere ? 404 : may ? undefined : 409)
  if (webhook.isThere && may) model.redeliver(delivery, nowOf(game))
  await wake(game)
}
