import { AsyncLocalStorage } from 'node:async_hooks'
import { unavailable } from '../errors.ts'
import { createTurns } from '../runtime/turns.ts'

/** How long a caller may wait for its turn before it fails as unavailable. */
const turnWaitMs = 10_000

const organizations = new AsyncLocalStorage<string>()
/** Work of the process itself, which no organization asked for: the one share without a limit of its own. */
const ownWork = ''

/** Runs `work` so that its connections are counted as those of this organization, or of another name that callers share. */
export const onBehalfOf = <Result>(organizationId: string, work: () => Result): Result =>
  organizations.run(organizationId, work)

/**
 * Connections of a pool are lent in turn: to one organization at most half of them, so that another finds one however long the first
 * one's statements take. `onExhausted`: all of them are in use, and a caller has waited too long.
 */
export function createConnectionTurns(max: () => number, onExhausted: () => void) {
  const half = () => Math.max(1, Math.floor(max() / 2))
  const perOrganization = (name: string) => (name === ownWork ? max() : half())
  const turns = createTurns({ total: max, perOrganization })
  const fail = (): never => {
    if (turns.running() >= max()) onExhausted()
    throw unavailable()
  }
  return {
    lend: <Result>(work: () => Promise<Result>): Promise<Result> =>
      turns.takeWithin(turnWaitMs, organizations.getStore() ?? ownWork, work, fail),
    /** To be called when `max` has become larger. */
    serve: turns.serve,
    waiting: turns.waiting,
  }
}
