import { expect } from 'vitest'
import { inFlightOf, type Webhook } from '../model/model.ts'
import * as model from '../model/owner.ts'
import { type Asked, ask } from '../world/owner.ts'
import { type Game, nowOf, passUntil } from './game.ts'
import { wake } from './publishing.ts'

/** What an owner does with webhooks and triggers. */
export const webhookPath = '/organizations/webhooks/:webhook_id'
const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }

/** What ids may be ahead of the clock, and clocks of each other. */
const sameTriggerMs = 35_001

const askOf = ({ world, organizationId }: Game, name: string, webhookId: string, options: Asked = {}) =>
  ask(world, organizationId, name, { ...options, params: { webhook_id: webhookId } })

export async function addWebhook(game: Game, slot: number): Promise<Webhook> {
  const body = { target_url: `https://receiver-${slot}.example.com`, name: 'x' }
  const added = await ask(game.world, game.organizationId, 'POST /organizations/webhooks', { body })
  const { id } = added as { id: string }
  await askOf(game, `POST ${webhookPath}/triggers`, id, { body: trigger })
  return model.addWebhook(game.model, id)
}

export async function replaceWebhook(game: Game, slot: number) {
  const webhook = game.webhooks[slot] as Webhook
  await askOf(game, `DELETE ${webhookPath}`, webhook.id)
  model.removeWebhook(webhook)
  game.webhooks[slot] = await addWebhook(game, slot)
}

export async function pause(game: Game, webhook: Webhook) {
  await askOf(game, `PATCH ${webhookPath}`, webhook.id, { body: { enabled: false } })
  model.pause(webhook)
  await wake(game)
}

export async function resume(game: Game, webhook: Webhook) {
  await askOf(game, `PATCH ${webhookPath}`, webhook.id, { body: { enabled: true } })
  model.resume(game.model, webhook, nowOf(game))
  await wake(game)
}

export async function removeTrigger(game: Game, webhook: Webhook) {
  const answer = await askOf(game, `DELETE ${webhookPath}/triggers`, webhook.id, { query: trigger })
  expect(answer).toBe(webhook.trigger === undefined ? 404 : undefined)
  model.removeTrigger(webhook)
}

/** A rescue of what was claimed on publish takes a trigger that is added within seconds for the one that was removed. */
export async function addTrigger(game: Game, webhook: Webhook) {
  const inFlight = inFlightOf(game.model, webhook)
  if (inFlight.some(({ claim }) => claim?.isQueued === false)) passUntil(game, nowOf(game) + sameTriggerMs)
  await askOf(game, `POST ${webhookPath}/triggers`, webhook.id, { body: trigger })
  model.addTrigger(game.model, webhook)
}

export async function replaceTrigger(game: Game, webhook: Webhook) {
  await removeTrigger(game, webhook)
  await addTrigger(game, webhook)
}
