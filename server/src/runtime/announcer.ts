/** Runs `announce` at once when it has been quiet for `intervalMs`, else once more at the end of the interval. */
export function createAnnouncer(
  announce: () => Promise<unknown>,
  { intervalMs, onError }: { intervalMs: number; onError: (error: unknown) => void },
): () => void {
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
    if (state === 'quiet') begin()
    else state = 'again'
  }
}
