import { expect } from 'vitest'
import { rules } from '../rules.ts'
import { ask } from '../world/owner.ts'
import { publishedKids } from '../world/reads.ts'
import { type Game, nowOf } from './game.ts'

/** After a rotation a process may sign with the key before for so long. */
const sentForMs = 5_000

/** Of the keys that the organization began with; most sequences need none. */
export async function learnKids(game: Game) {
  if (game.kids.length === 0) game.kids = await publishedKids(game.world, game.organizationId)
}

export const kidsThatMaySign = (game: Game) =>
  nowOf(game) - game.rotatedAt < sentForMs ? game.kids : game.kids.slice(0, 1)

/** The next key signs once it was published for a day. */
export async function rotate(game: Game) {
  await learnKids(game)
  const isSoon = nowOf(game) - game.rotatedAt < rules.keyLeadMs
  const answer = await ask(game.world, game.organizationId, 'POST /organizations/webhooks/verification-keys/rotate')
  expect(answer).toBe(isSoon ? 409 : undefined)
  if (isSoon) return
  const published = await publishedKids(game.world, game.organizationId)
  expect([published[0], published[1]]).toEqual([game.kids.at(-1), game.kids[0]])
  game.kids = published
  game.rotatedAt = nowOf(game)
}
