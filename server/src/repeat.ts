/**
 * Runs `work` every `ms` milliseconds, the first time after one interval, never twice at once. An error is told and
 * the next run tries again. `stop` waits for a run in progress.
 */
export function every(ms: number, work: () => Promise<unknown>, onError: (error: unknown) => void) {
  let current: Promise<unknown> | undefined
  const timer = setInterval(() => {
    current ??= work()
      .catch(onError)
      .finally(() => {
        current = undefined
      })
  }, ms)
  return {
    stop: async () => {
      clearInterval(timer)
      await current
    },
  }
}
