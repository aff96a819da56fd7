/** Gives what `work` does, or rejects with the signal's reason at once when it aborts; nobody waits for `work` then. */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  return Promise.race([aborted, work]).finally(() => signal.removeEventListener('abort', abort))
}
