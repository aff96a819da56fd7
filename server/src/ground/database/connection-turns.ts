import { AsyncLocalStorage } from 'node:async_hooks'
import { unavailable } from '../errors.ts'
import { createOrganizationTurns } from '../runtime/organization-turns.ts'

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
  const turns = createOrganizationTurns({ total: max, of: (name) => (name === ownWork ? max() : half()) })
  return {
    lend: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      let isLent = false
      const begin = () => {
        isLent = true
        return work()
      }
      const result = await turns.takeWithin(turnWaitMs, organizations.getStore() ?? ownWork, begin)
      if (isLent) return result as Result
      if (turns.running() >= max()) onExhausted()
      throw unavailable()
    },
    /** To be called when `max` has become larger. */
    serve: turns.serve,
    waiting: turns.waiting,
  }
}
