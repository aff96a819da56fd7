import { ofForm } from '../../../support/form.ts'
import { randomFrom } from '../../../support/random.ts'
import { type FaultName, faultNames } from './faults.ts'

const count = ofForm(5, 50)
/** The same rounds again, though not at the same moments of what they break. */
const seed = Number(process.env.SIGNET_FAILOVER_SEED ?? Date.now() % 2 ** 31)

export type Round = {
  number: number
  fault: FaultName
  /** Of load before the fault. */
  afterMs: number
}

const random = randomFrom(seed)
// The first numbers of seeds that are near each other are near each other, too.
for (let skipped = 0; skipped < 8; skipped++) random()

/** Each fault once, in an order that is drawn, before any of them comes again. */
function* drawFaults() {
  for (;;) yield* faultNames.map((name) => ({ name, at: random() })).sort((one, other) => one.at - other.at)
}

export const rounds: Round[] = drawFaults()
  .take(count)
  .map(({ name }, index) => ({ number: index + 1, fault: name, afterMs: 1_000 + 3_000 * random() }))
  .toArray()

export const tell = (line: string) => console.log(`failover (SIGNET_FAILOVER_SEED=${seed}): ${line}`)
