import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchOldest } from './sender.ts'

const withinMs = 25_000
let oldest: { since: number } | undefined
let late = 0
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  late = 0
  stop = watchOldest(
    () => oldest,
    withinMs,
    () => {
      late += 1
    },
  )
})

afterEach(() => {
  stop()
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTime(ms)

test('A request that outlives its time is reported within ten seconds, and not before its time is over', () => {
  oldest = { since: performance.now() }
  pass(withinMs)
  expect(late).toBe(0)
  pass(10_000)
  expect(late).toBe(1)
})

test('A request that ends between two looks is not reported, however late', () => {
  oldest = { since: performance.now() - withinMs - 1 }
  pass(5_000)
  oldest = { since: performance.now() }
  pass(5_000)
  // Late as well by then, but another one.
  oldest = { since: performance.now() - withinMs - 1 }
  pass(5_000)
  oldest = undefined
  pass(60_000)
  expect(late).toBe(0)
})

test('No request is reported once the watch is stopped', () => {
  oldest = { since: performance.now() }
  stop()
  pass(60_000)
  expect(late).toBe(0)
})
