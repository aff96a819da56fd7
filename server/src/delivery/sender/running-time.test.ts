import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRunningTime } from './concurrency-limits.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('The running time counts all that a thread runs, and of a stall one interval and a little', () => {
  const time = createRunningTime(250)
  const run = () => {
    vi.advanceTimersByTime(250)
    time.tick()
  }
  for (let n = 0; n < 4; n++) run()
  vi.advanceTimersByTime(100)
  expect(time.now()).toBeCloseTo(1_100)
  vi.advanceTimersByTime(60_000)
  expect(time.now()).toBeCloseTo(1_300)
  time.tick()
  for (let n = 0; n < 4; n++) run()
  expect(time.now()).toBeCloseTo(2_300)
})
