import type fc from 'fast-check'
import { isLong, ofForm } from '../../support/form.ts'

/** Of a run that failed, to repeat it. */
const seed = process.env.SIGNET_HOSTILE_SEED

/** For `fc.assert`, which prints the seed when it fails; in the short form the tries are always the same ones. */
export const chosen = (short: number, long: number): fc.Parameters<never> => {
  const numRuns = ofForm(short, long)
  if (seed !== undefined) return { numRuns, seed: Number(seed) }
  return isLong ? { numRuns } : { numRuns, seed: 20_261_126 }
}

/** All of them in the long form; in the short one so many, spread over all. */
export function spread<Item>(items: Item[], short: number): Item[] {
  const step = isLong ? 1 : Math.max(1, items.length / short)
  return Array.from({ length: Math.ceil(items.length / step) }, (_, at) => items[Math.floor(at * step)] as Item)
}
