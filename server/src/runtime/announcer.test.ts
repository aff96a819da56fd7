import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAnnouncer } from './announcer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('What is announced within the interval is announced once more at its end, however often', () => {
  let announced = 0
  const announce = createAnnouncer(async () => announced++, { intervalMs: 100, onError: () => {} })
  announce()
  expect(announced).toBe(1)
  announce()
  announce()
  vi.advanceTimersByTime(99)
  expect(announced).toBe(1)
  vi.advanceTimersByTime(1)
  expect(announced).toBe(2)
  vi.advanceTimersByTime(1_000)
  expect(announced).toBe(2)
  announce()
  expect(announced).toBe(3)
})
