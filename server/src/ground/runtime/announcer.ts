import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs `announce` at once when it has been quiet for `intervalMs`, else once more at the end of the interval. */
export function createAnnouncer(
  announce: () => Promise<unknown>,
  { intervalMs, onError }: { intervalMs: number; onError: (error: unknown) => void },
): () => void {
  /** It announces for all, so it does not run in the async context of the first. */
  const inOwnContext = AsyncLocalStorage.snapshot()
  let state: 'quiet' | 'announced' | 'again' = 'quiet'
  const begin = () => {
    state = 'announced'
    announce().catch(onError)
    setTimeout(() => {
      if (state === 'again') begin()
      else state = 'quiet'
    }, intervalMs)
  }
  return () => {
    if (state === 'quiet') inOwnContext(begin)
    else state = 'again'
  }
}
