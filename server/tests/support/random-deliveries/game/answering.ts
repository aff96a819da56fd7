import * as model from '../model/answers.ts'
import { answered, failed } from '../world/calls.ts'
import { settle } from '../world/settlements.ts'
import { call } from './calling.ts'
import { claimNext } from './claiming.ts'
import { type Begun, type Game, nowOf } from './game.ts'

/** What a receiver does: it answers with a status, or slowly, or not in time. */
export type Answer = number | 'slow' | 'timeout'

const outcomeOf = (answer: Answer) => {
  if (answer === 'timeout') return failed
  return answer === 'slow' ? answered(200, 'slow') : answered(answer)
}

const seenOf = (answer: Answer): model.Seen => {
  if (answer === 'slow') return 'slow'
  return answer === 200 || answer === 204 ? 'healthy' : 'failed'
}

/** The calls have the same answer, all at once. */
export async function answer(game: Game, calls: Begun[], said: Answer) {
  const settlements = calls.map((open) => {
    open.answer(outcomeOf(said))
    model.answer(open.claim, seenOf(said), open.startedAt, nowOf(game))
    return open.settled
  })
  if (calls.length > 0) await settle(game.world, await Promise.all(settlements))
}

/** Claims, calls and is answered, up to so many times. Gives whether there was anything. */
export async function attempt(game: Game, worker: string, said: Answer, times: number): Promise<boolean> {
  for (let made = 0; made < times; made++) {
    const claimed = await claimNext(game, worker)
    await answer(game, await call(game, claimed), said)
    if (claimed.length === 0) return made > 0
  }
  return true
}
