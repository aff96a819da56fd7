type Options = {
  /** The first time at once, not after one interval. */
  atOnce?: boolean
}

/**
 * Runs `work` every `ms` milliseconds, the first time after one interval, never twice at once. An error is told and
 * the next run tries again. `stop` waits for a run in progress, which is told by its signal.
 */
export function runEvery(
  ms: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
  { atOnce = false }: Options = {},
) {
  const stopping = new AbortController()
  let current: Promise<unknown> | undefined
  const run = () => {
    current ??= work(stopping.signal)
      .catch(onError)
      .finally(() => {
        current = undefined
      })
  }
  const timer = setInterval(run, ms)
  if (atOnce) run()
  return {
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await current
    },
  }
}
