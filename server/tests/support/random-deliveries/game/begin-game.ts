import { makeId } from '../../../../src/ground/runtime/identifiers.ts'
import { createModel } from '../model/model.ts'
import type { World } from '../world/world.ts'
import type { Game } from './game.ts'
import { addWebhook } from './webhooks.ts'

export async function beginGame(world: World, organizationId: string): Promise<Game> {
  const game: Game = {
    world,
    model: createModel(),
    organizationId,
    workers: [makeId(world.start), makeId(world.start)],
    webhooks: [],
    taken: [],
    begun: [],
    jtis: new Set(),
    kids: [],
    rotatedAt: world.start,
  }
  game.webhooks = await Promise.all([addWebhook(game, 0), addWebhook(game, 1)])
  return game
}
