/** Between two claims of receivers that are not quick. */
const stepMs = 20
/** A step in which the thread that calls was busy for more than this share of its time is followed by another, up to so many. */
const busyShare = 0.4
const maxSteps = 3

/** Of the thread that calls. */
export type Utilization = typeof performance.eventLoopUtilization

/**
 * The pace of claims for receivers that are not quick. Most of their calls need a new connection: each a millisecond and more
 * of the thread that calls. A hundred that time out together would be made anew together, and hold up all other calls. In
 * single steps they did so still on a slow machine: beside 2,000 dead receivers a 99th percentile of 26 ms, and 12 without
 * them; with up to three steps 9, and 7 without them (measured when one loop claimed for all, and calls had no thread).
 */
export function createPace(onEnd: () => void, utilization: Utilization) {
  let step: NodeJS.Timeout | undefined
  let isConnecting = false
  const begin = (stepsLeft = maxSteps) => {
    const before = utilization()
    step = setTimeout(() => {
      if (isConnecting && utilization(before).utilization > busyShare && stepsLeft > 1) return begin(stepsLeft - 1)
      step = undefined
      isConnecting = false
      onEnd()
    }, stepMs)
  }
  return {
    /** A pause, unless there is one already; its end is told. `connects`: what was claimed needs a new connection. */
    pause: (connects: boolean) => {
      isConnecting ||= connects
      if (!step) begin()
    },
    isPaused: () => step !== undefined,
  }
}
