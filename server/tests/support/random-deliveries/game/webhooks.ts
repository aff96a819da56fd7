import { expect } from 'vitest'
import type { Webhook } from '../model/model.ts'
import * as model from '../model/owner.ts'
import { type Asked, ask } from '../world/owner.ts'
import { type Game, nowOf, passUntil } from './game.ts'
import { wake } from './publishing.ts'

/** What an owner does with webhooks and triggers. */
export const webhookPath = '/organizations/webhooks/:webhook_id'
const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }

/** So long after an event a trigger may be added by another process whose clock is ahead. */
const sameTriggerMs = 5_001

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

/** Later than what was claimed on publish: a rescue takes a trigger that is added within seconds for the one that was removed. */
export async function addTrigger(game: Game, webhook: Webhook) {
  passUntil(game, nowOf(game) + sameTriggerMs)
  await askOf(game, `POST ${webhookPath}/triggers`, webhook.id, { body: trigger })
  model.addTrigger(game.model, webhook)
}

export async function replaceTrigger(game: Game, webhook: Webhook) {
  await removeTrigger(game, webhook)
  await addTrigger(game, webhook)
}
