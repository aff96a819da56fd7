import type { Clock } from '../clock.ts'

export type Kept<Value> = { value: Value; fetchedAt: number; triedAt: number }

export type KeptFetches<Value> = {
  get(key: string): Kept<Value> | undefined
  /** Who asks at the same time shares the answer. A failure is thrown, and what was kept stays. */
  fetch(key: string, read: (before: Value | undefined) => Promise<Value>): Promise<Value>
}

/** What providers say of themselves, at most `maxKept` of it: what was used least recently goes first. */
export function keepFetches<Value>(maxKept: number, clock: Clock): KeptFetches<Value> {
  const kept = new Map<string, Kept<Value>>()
  const running = new Map<string, Promise<Value>>()

  const keep = (key: string, entry: Kept<Value>) => {
    kept.delete(key)
    kept.set(key, entry)
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  }
  const fetchAnew = async (key: string, read: (before: Value | undefined) => Promise<Value>): Promise<Value> => {
    const before = kept.get(key)
    const now = clock.now()
    if (before) before.triedAt = now
    const value = await read(before?.value)
    keep(key, { value, fetchedAt: now, triedAt: now })
    return value
  }

  return {
    get: (key) => {
      const entry = kept.get(key)
      if (entry) keep(key, entry)
      return entry
    },
    fetch: (key, read) => {
      const shared = running.get(key)
      if (shared) return shared
      const fetching = fetchAnew(key, read).finally(() => running.delete(key))
      running.set(key, fetching)
      return fetching
    },
  }
}
