import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { leaseMs } from './lease.ts'
import { watchLeases } from './lease-watch.ts'

let oldest: { since: number } | undefined
let late = 0
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  late = 0
  stop = watchLeases(
    () => oldest,
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

test('an order that outlives its lease is told within ten seconds, and not before its lease is over', () => {
  oldest = { since: performance.now() }
  pass(leaseMs)
  expect(late).toBe(0)
  pass(10_000)
  expect(late).toBe(1)
})

test('one that ends between two looks is not, however late', () => {
  oldest = { since: performance.now() - leaseMs - 1 }
  pass(5_000)
  oldest = { since: performance.now() }
  pass(5_000)
  // Late as well by then, but another one.
  oldest = { since: performance.now() - leaseMs - 1 }
  pass(5_000)
  oldest = undefined
  pass(60_000)
  expect(late).toBe(0)
})

test('nothing is told once it is stopped', () => {
  oldest = { since: performance.now() }
  stop()
  pass(60_000)
  expect(late).toBe(0)
})
