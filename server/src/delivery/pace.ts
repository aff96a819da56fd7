/** Between two claims of receivers that are not quick. */
const stepMs = 20
/** A step in which this process was busy for more than this share of its time is followed by another, up to so many. */
const busyShare = 0.4
const maxSteps = 5

/**
 * The pace of calls that need a new connection, as most of those to receivers that are not quick do: a millisecond and more of
 * this process's time each. A hundred that time out together would be made anew together, and hold up all others; in steps
 * of 20 ms they did so still on a slow machine (a 99th percentile of 26 ms beside 2,000 dead receivers; 12 where a busy
 * process takes up to five steps, and 6 without the dead; measured).
 */
export function createPace(onEnd: () => void) {
  let step: NodeJS.Timeout | undefined
  const begin = (steps = maxSteps) => {
    const before = performance.eventLoopUtilization()
    step = setTimeout(() => {
      const { utilization } = performance.eventLoopUtilization(before)
      if (utilization > busyShare && steps > 1) return begin(steps - 1)
      step = undefined
      onEnd()
    }, stepMs)
  }
  return {
    /** A pause, unless there is one already; its end is told. */
    pause: () => {
      if (!step) begin()
    },
    isPaused: () => step !== undefined,
  }
}
