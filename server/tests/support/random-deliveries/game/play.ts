import { enter, leave, pass, type World } from '../world/world.ts'
import { beginGame } from './begin-game.ts'
import { compareAnswers, compareKept, statesOf } from './comparisons.ts'
import type { Game } from './game.ts'
import { type Operation, operations, type Row } from './operations.ts'

/** Plays a sequence in an organization of its own. Gives in which states its deliveries and webhooks are at the end. */
export async function playSequence(world: World, sequence: Operation[]): Promise<string[]> {
  const organizationId = await enter(world)
  try {
    const game = await beginGame(world, organizationId)
    for (const operation of sequence) {
      pass(world, 1)
      await play(game, operation)
    }
    await compareAnswers(game)
    return statesOf(game)
  } finally {
    await leave(world, organizationId)
  }
}

async function play(game: Game, { do: name, ...drawn }: Operation) {
  const { on, play, writes } = operations[name] as Row<object, unknown>
  const subject = on?.(game, drawn)
  if (on && subject === undefined) return
  await play(game, drawn, subject)
  if (writes) await compareKept(game)
}
