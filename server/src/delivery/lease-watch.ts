import { leaseMs } from './lease.ts'

/** Late twice in a row, for what ended while the whole process was stopped is heard between two looks. */
const lookMs = 5_000

/**
 * Tells when the oldest order is not ended `leaseMs` after it was made: nobody will hear of it any more. `since` is of the
 * process's own time, in milliseconds. Gives how to stop watching.
 */
export function watchLeases(oldest: () => { since: number } | undefined, onLate: () => void): () => void {
  let lateBefore: object | undefined
  const look = () => {
    const order = oldest()
    const late = order && performance.now() - order.since > leaseMs ? order : undefined
    if (late && late === lateBefore) onLate()
    lateBefore = late
  }
  const looking = setInterval(look, lookMs).unref()
  return () => clearInterval(looking)
}
