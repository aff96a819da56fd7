import * as model from '../model/passing.ts'
import * as world from '../world/settlements.ts'
import { type Game, nowOf, passUntil } from './game.ts'

/** What happens by itself. */
export async function sweepAfter(game: Game, ms: number) {
  passUntil(game, nowOf(game) + ms)
  await world.rescue(game.world)
  model.rescue(game.model, nowOf(game))
  await world.sweep(game.world)
  model.sweep(game.model, nowOf(game))
}

export async function expire(game: Game) {
  await world.expire(game.world)
  model.expire(game.model, nowOf(game))
}
