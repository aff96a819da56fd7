import { keepNewest } from '../keep-newest.ts'
import type { Seen } from './call-slots.ts'

/** Receivers that are remembered; of one that was forgotten it is found anew. */
const maxRemembered = 10_000
/** Share of the newest call in a receiver's average. */
const newestWeight = 0.2

/** How long receivers take to answer, in milliseconds, on a moving average. */
export function createLatencies() {
  const averages = new Map<string, number>()
  return {
    /** Of what waited in vain the wait counts in full: the receiver became slow. */
    note(laneName: string, seen: Seen) {
      const ms = 'waitedMs' in seen ? seen.waitedMs : seen.tookMs
      const before = averages.get(laneName) ?? ms
      const weight = 'waitedMs' in seen ? 1 : newestWeight
      keepNewest(averages, laneName, before + (ms - before) * weight, maxRemembered)
    },
    /** Nothing is said against one that is not known. */
    average: (laneName: string) => averages.get(laneName) ?? 0,
  }
}

export type Latencies = ReturnType<typeof createLatencies>
