import { expect } from 'vitest'
import type { ClaimedDelivery } from '../../../../src/delivery/queue/delivery.ts'
import { makeId } from '../../../../src/ground/runtime/identifiers.ts'
import * as model from '../model/claims.ts'
import type { Delivery } from '../model/model.ts'
import * as world from '../world/claims.ts'
import { call } from './calling.ts'
import { type Game, nowOf, passUntil, type Taken, workerOf } from './game.ts'

/** Claims what is due or will be next, and begins the calls or leaves them for later. Gives whether there was anything. */
export async function take(game: Game, worker: string, isCalled: boolean): Promise<boolean> {
  const claimed = await claimNext(game, worker)
  if (isCalled) game.begun.push(...(await call(game, claimed)))
  else game.taken.push(...claimed)
  return claimed.length > 0
}

export async function claimNext(game: Game, worker: string): Promise<Taken[]> {
  if (model.nextDue(game.model, worker) > nowOf(game)) await wait(game, worker)
  const claimed = await world.claim(game.world, worker)
  const deliveries = claimed.map((each) => deliveryOf(game, each))
  expect(model.wrongWith(game.model, deliveries, worker, nowOf(game))).toBeUndefined()
  return claimed.map((each) => taking(game, each, worker))
}

/** Sleeps as a worker does, until something is due. */
export async function wait(game: Game, worker: string) {
  const due = model.nextDue(game.model, worker)
  expect(await world.nextDue(game.world, worker)).toBeLessThanOrEqual(Math.max(due, nowOf(game)))
  passUntil(game, due)
}

/** Tells the model of a claim, which must have the number, the lease and the window that it says. */
export function taking(game: Game, claimed: ClaimedDelivery, worker: string): Taken {
  const delivery = deliveryOf(game, claimed)
  const claim = model.claim(delivery, worker, claimed.rowLocation !== null, nowOf(game))
  const { number, leaseEndsAt } = claim
  const { windowAttempts, windowOpenedAt = null } = delivery
  expect(claimed).toMatchObject({ attemptNumber: number, leaseEndsAt, windowAttempts, windowOpenedAt })
  return { claimed, claim }
}

const deliveryOf = (game: Game, { webhookId, eventId }: ClaimedDelivery) =>
  game.model.deliveries.find((each) => each.webhook.id === webhookId && each.eventId === eventId) as Delivery

/** What the worker had claimed is forgotten; the next one has another name. */
export function crash(game: Game, drawn: { worker: number }) {
  const dead = workerOf(game, drawn)
  game.taken = game.taken.filter(({ claim }) => claim.worker !== dead)
  game.begun = game.begun.filter(({ claim }) => claim.worker !== dead)
  game.workers[drawn.worker] = makeId(nowOf(game))
}
