import fc from 'fast-check'
import { inject, test } from 'vitest'
import { tell } from '../faults/support/suite.ts'
import { ofForm } from '../support/form.ts'
import { playSequence } from '../support/random-deliveries/game/play.ts'
import {
  coolingDownThoughHealthy,
  lateForAnOlderTrigger,
  playable,
} from '../support/random-deliveries/game/sequences.ts'
import { closeWorld, openWorld } from '../support/random-deliveries/world/world.ts'

/**
 * Random sequences of what owners, publishers, workers, receivers and time do, on the real operations and stores, beside
 * the model. After each operation what is kept is what the model says, and at the end the owner is shown that. A sequence
 * that fails is made shorter until nothing can be left out of it.
 */
const sequences = ofForm(300, 20_000)
/** Each on a database of its own, so that one sequence's claims, sweeps and days are no other's. */
const tracks = [0, 1]

test.concurrent.for(tracks)(
  `Deliveries do what the model says, in ${sequences / tracks.length} random sequences (6.2, rule 4), track %s`,
  {
    // Some 10 s alone, twice that beside the other tests on two cores, and more where each commit goes to a disk.
    timeout: ofForm(600_000, 1_200_000),
  },
  async (track, { onTestFinished }) => {
    const world = await openWorld()
    onTestFinished(() => closeWorld(world))
    const seen: Record<string, number> = {}
    const property = fc.asyncProperty(playable, async (sequence) => {
      for (const what of ['sequence', ...sequence.map(() => 'operation'), ...(await playSequence(world, sequence))])
        seen[what] = (seen[what] ?? 0) + 1
    })
    await fc.assert(property, {
      seed: inject('faultsSeed') + track,
      numRuns: sequences / tracks.length,
      examples: [[coolingDownThoughHealthy], [lateForAnOlderTrigger]],
    })
    tell('deliveries beside the model', seen)
  },
)
