import { figureOf } from './figures.ts'
import { givenServer, withTwoProcesses } from './options.ts'

export const processCounts = withTwoProcesses ? [1, 2] : [1]

/** `Signet` is on the server that everybody is on; beside a given one there is also `Signet, embedded`. */
export const nameOfSignet = (processCount: number, isBeside = false): string =>
  ['Signet', ...(processCount === 2 ? ['two processes'] : []), ...(isBeside ? ['embedded'] : [])].join(', ')

/** For the description of the method: what the options of this run add. */
export const methodOfOptions = [
  ...(givenServer === undefined
    ? []
    : ['All databases are on the given server, but those of "Signet, embedded", which takes its turn in each round.']),
  ...(withTwoProcesses ? ['Two processes share a database, and the callers are spread over both.'] : []),
].join('\n')

/** What Signet has on the given server, as a multiple of what it has on the embedded one: the median of the rounds' ratios. */
export function ratiosToEmbedded<Measured>(
  measured: Map<string, Measured[]>,
  of: (one: Measured) => number,
): { name: string; ratio: number }[] {
  if (givenServer === undefined) return []
  return processCounts.map((count) => {
    const [given = [], embedded = []] = [false, true].map((isBeside) => measured.get(nameOfSignet(count, isBeside)))
    const ratios = given.map((one, round) => of(one) / of(embedded[round] as Measured))
    return { name: nameOfSignet(count), ratio: figureOf(ratios).median }
  })
}
