import { inject } from 'vitest'
import { ofForm } from '../../support/form.ts'
import { randomFrom } from '../../support/random.ts'

/** For one scenario. */
export const timeoutMs = ofForm(300_000, 600_000)
/** For what happens by itself once the fault is over. */
export const patience = { timeout: 90_000, interval: 20 }

/** Numbers from 0 to 1 for one scenario: the same for the same seed, whatever else runs. */
export function chanceOf(scenario: string): () => number {
  const random = randomFrom(
    [...scenario].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), inject('faultsSeed')),
  )
  // The first ones of seeds that are near each other are near each other, too.
  for (let skipped = 0; skipped < 8; skipped++) random()
  return random
}

/** Says in one line what was done. */
export function tell(scenario: string, counts: object) {
  const counted = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  console.log(`faults (SIGNET_FAULTS_SEED=${inject('faultsSeed')}): ${scenario}: ${counted.join(', ')}`)
}
