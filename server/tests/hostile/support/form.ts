import type fc from 'fast-check'

/** `npm run test:hostile` tries as much as it can in minutes; `npm test` the same with fewer tries, and always the same ones. */
export const isLong = process.env.SIGNET_HOSTILE === 'long'
/** Of a run that failed, to repeat it. */
const seed = process.env.SIGNET_HOSTILE_SEED

const tries = (short: number, long: number) => (isLong ? long : short)

/** For `fc.assert`, which prints the seed when it fails. */
export const chosen = (short: number, long: number): fc.Parameters<never> => {
  const numRuns = tries(short, long)
  if (seed !== undefined) return { numRuns, seed: Number(seed) }
  return isLong ? { numRuns } : { numRuns, seed: 20_261_126 }
}

/** All of them in the long form; in the short one so many, spread over all. */
export function spread<Item>(items: Item[], short: number): Item[] {
  const step = isLong ? 1 : Math.max(1, items.length / short)
  return Array.from({ length: Math.ceil(items.length / step) }, (_, at) => items[Math.floor(at * step)] as Item)
}
