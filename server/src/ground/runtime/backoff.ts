/** Delays in milliseconds that double from one failure to the next, each with jitter: half of it to all of it. */
export function createBackoff({ initialMs, maxMs }: { initialMs: number; maxMs: number }) {
  let delayMs = initialMs
  return {
    next(): number {
      const jittered = delayMs * (0.5 + Math.random() / 2)
      delayMs = Math.min(delayMs * 2, maxMs)
      return jittered
    },
    reset: () => {
      delayMs = initialMs
    },
  }
}
