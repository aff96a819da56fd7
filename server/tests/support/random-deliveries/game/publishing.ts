import { expect } from 'vitest'
import { timeOf } from '../../../../src/ground/runtime/identifiers.ts'
import * as model from '../model/publication.ts'
import * as world from '../world/publication.ts'
import { taking } from './claiming.ts'
import { type Game, nowOf, workerOf } from './game.ts'

type Publication = { count: number; isLost: boolean; by: number | undefined }

/** Nobody else claims meanwhile, so neither more nor less is claimed as published than may be. */
export async function publish(game: Game, { count, isLost, by }: Publication) {
  const worker = by === undefined ? undefined : workerOf(game, { worker: by })
  const { eventIds, claimed, due } = await world.publish(game.world, game.organizationId, count, worker)
  const events = eventIds.map((eventId) => ({ eventId, createdAt: timeOf(eventId) }))
  const expected = model.publish(game.model, events, nowOf(game), due, worker)
  expect(claimed.map(keyOf).toSorted()).toEqual(
    expected.claimed.map(({ webhook, eventId }) => keyOf({ webhookId: webhook.id, eventId })).toSorted(),
  )
  const made = claimed.map((each) => taking(game, each, worker as string))
  if (!isLost) game.taken.push(...made)
  const waiting = expected.waiting.map(({ id }) => id).toSorted()
  expect((await wake(game, { isLost })).toSorted()).toEqual(isLost ? [] : waiting)
}

const keyOf = ({ webhookId, eventId }: { webhookId: string; eventId: string }) => `${webhookId} ${eventId}`

/** Gives the webhooks that were woken. */
export async function wake(game: Game, { isLost = false } = {}): Promise<string[]> {
  const woken = await world.wake(game.world, game.organizationId, workerWhoIsTold(game), { isLost })
  for (const webhook of game.model.webhooks) if (woken.includes(webhook.id)) model.wake(game.model, webhook)
  return woken
}

const workerWhoIsTold = (game: Game) => workerOf(game, { worker: 0 })
