type Options = {
  /** The first run starts at once, not after one interval. */
  atOnce?: boolean
}

/**
 * Runs `work` every `ms` milliseconds, never twice at once. `onError` receives an error, and the next run tries again.
 * `run` does it now, unless a run is in progress. `stop` aborts the signal of a run in progress and waits for its end.
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
    run,
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await current
    },
  }
}
