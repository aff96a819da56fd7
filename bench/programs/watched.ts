// A part of `npm run bench -- soak`, loaded into the process of Signet before anything of its own: each thread writes down each second how
// late its event loop was, and what collecting garbage took.
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { monotonicMs } from '../support/monotonic.ts'

/** A line of the file that `BENCH_WATCH` names. */
export type Watched = { at: number; isMain: boolean; loopMs: number; garbageMs: number; heap: number }

const file = process.env.BENCH_WATCH
const resolution = 10
const everyMs = 1_000

if (file) {
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  let garbageMs = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) garbageMs += duration
  }).observe({ entryTypes: ['gc'] })
  setInterval(() => {
    const line: Watched = {
      at: monotonicMs(),
      isMain: isMainThread,
      loopMs: Math.max(0, delays.max / 1e6 - resolution),
      garbageMs,
      heap: process.memoryUsage().heapUsed,
    }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
    delays.reset()
    garbageMs = 0
  }, everyMs).unref()
}
