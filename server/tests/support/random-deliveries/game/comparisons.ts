import { expect } from 'vitest'
import { deliveriesOf, type Webhook } from '../model/model.ts'
import { kept, keptCounts, shown } from '../model/views.ts'
import { attemptNumbers, look, readKept, wrongLanes } from '../world/reads.ts'
import type { Game } from './game.ts'

/** All that is kept is what the model says: asked after each operation. */
export async function compareKept({ world, model, organizationId }: Game) {
  const { deliveries, lanes, counts } = await readKept(world, organizationId)
  const there = model.webhooks.filter(({ isThere }) => isThere)
  expect(deliveries.toSorted(byText)).toEqual(model.deliveries.map(kept).toSorted(byText))
  expect(new Map(lanes.map((lane) => [lane.webhook_id, lane.paused_reason ?? undefined]))).toEqual(
    new Map(there.map((webhook) => [webhook.id, webhook.pausedReason])),
  )
  const ofThere = counts.filter(({ webhook_id }) => there.some(({ id }) => id === webhook_id))
  expect(ofThere.toSorted(byText)).toEqual(there.flatMap(keptCounts).toSorted(byText))
}

/** The same order for what is kept and for what should be. */
const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** The owner is shown what the model says: asked at the end of a sequence. */
export async function compareAnswers(game: Game) {
  await Promise.all(game.model.webhooks.map((webhook) => compareWebhook(game, webhook)))
  expect(await wrongLanes(game.world, game.organizationId)).toEqual([])
}

async function compareWebhook({ world, model, organizationId }: Game, webhook: Webhook) {
  const answer = await look(world, organizationId, webhook.id)
  expect(answer !== undefined).toBe(webhook.isThere)
  if (!answer) return
  const deliveries = deliveriesOf(model, webhook)
  const newestFirst = deliveries.toSorted((a, b) => (a.eventId < b.eventId ? 1 : -1))
  expect(answer.record).toMatchObject({ enabled: !webhook.pausedReason, paused_reason: webhook.pausedReason })
  expect(answer.deliveries).toEqual(newestFirst.map(shown))
  expect(answer.counts).toEqual([...webhook.counts.values()].toReversed())
  const last = deliveries.findLast(({ log }) => log.length > 0)
  if (last) expect(await attemptNumbers(world, organizationId, webhook.id, last.eventId)).toEqual(last.log)
}

/** In which states the deliveries and webhooks are. */
export const statesOf = ({ model }: Game) => [
  ...model.deliveries.map(({ status, reason }) => reason ?? status),
  ...model.webhooks.map(({ pausedReason }) => `paused as ${pausedReason}`),
]
