import { expect } from 'vitest'
import type { Prepared } from '../../../../src/delivery/queue/attempt.ts'
import type { Settlement } from '../../../../src/delivery/queue/delivery.ts'
import { claimsOf, kidOf } from '../../jwt.ts'
import { cancel, cancellation, isCurrent, release } from '../model/claims.ts'
import type { Claim } from '../model/model.ts'
import { rules } from '../rules.ts'
import { begin } from '../world/calls.ts'
import { prepare } from '../world/claims.ts'
import { settle } from '../world/settlements.ts'
import { type Begun, type Game, nowOf, type Taken } from './game.ts'
import { kidsThatMaySign, learnKids } from './keys.ts'

/** Gives the calls that were begun; what is not called is settled. */
export async function call(game: Game, called: Taken[]): Promise<Begun[]> {
  if (called.length === 0) return []
  const claimed = called.map((each) => each.claimed)
  const prepared = await prepare(game.world, claimed)
  await learnKids(game)
  const calls: Begun[] = []
  for (const [index, next] of prepared.entries()) {
    const open = await beginOrSettle(game, (called[index] as Taken).claim, next)
    if (open) calls.push(open)
  }
  return calls
}

async function beginOrSettle(game: Game, claim: Claim, next: Prepared | Settlement): Promise<Begun | undefined> {
  if ('attempt' in next) return settleCancelled(game, claim, next)
  const begins = begin(game.world, next)
  if (!('call' in begins)) return settleReleased(game, claim, await begins)
  const open = { ...begins, claim, startedAt: nowOf(game) }
  checkBegun(game, open)
  return open
}

async function settleCancelled(game: Game, claim: Claim, settlement: Settlement): Promise<undefined> {
  const reason = cancellation(claim)
  expect(settlement).toMatchObject({ status: 'cancelled', reason })
  cancel(claim, reason as string, nowOf(game))
  await settle(game.world, [settlement])
}

async function settleReleased(game: Game, claim: Claim, settlement: Settlement): Promise<undefined> {
  expect(nowOf(game) + rules.callMs).toBeGreaterThan(claim.leaseEndsAt)
  release(claim, nowOf(game))
  await settle(game.world, [settlement])
}

/** A call that may be made, and is signed anew with a key that receivers know (6.3). */
function checkBegun(game: Game, { claim, call: { body } }: Begun) {
  const now = nowOf(game)
  const { jti, sub, iat, exp, trigger_content } = claimsOf(body)
  expect(trigger_content.event_metadata.event_id).toBe(claim.delivery.eventId)
  expect([cancellation(claim), isCurrent(claim)]).toEqual([undefined, true])
  expect(now + rules.callMs).toBeLessThanOrEqual(claim.leaseEndsAt)
  expect([sub, iat, exp - iat]).toEqual([claim.delivery.eventId, Math.floor(now / 1_000), 300])
  expect(game.jtis.has(jti)).toBe(false)
  game.jtis.add(jti)
  expect(kidsThatMaySign(game)).toContain(kidOf(body))
}
