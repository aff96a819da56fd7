/** The two clocks of a machine may run apart by less. */
const driftMs = 1_000

/**
 * Milliseconds that have passed, by the timer of the platform, which is never set but stands still while the machine sleeps. The wall
 * clock tells that: where it has gone further than the timer, the difference counts as passed, also when it was set forward. What was
 * fresh before is then fetched again, which does no harm. Where it was set back, nothing counts.
 */
export function createElapsedTime(): () => number {
  let ahead = Date.now() - performance.now()
  let slept = 0
  return () => {
    const timer = performance.now()
    const jump = Date.now() - timer - ahead
    if (Math.abs(jump) > driftMs) {
      ahead += jump
      slept += Math.max(jump, 0)
    }
    return timer + slept
  }
}
