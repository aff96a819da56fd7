import { AsyncLocalStorage } from 'node:async_hooks'
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

test("What is announced for all is announced in nobody's context", () => {
  const callers = new AsyncLocalStorage<string>()
  const seen: (string | undefined)[] = []
  const announce = createAnnouncer(async () => seen.push(callers.getStore()), { intervalMs: 100, onError: () => {} })
  callers.run('first', announce)
  callers.run('second', announce)
  vi.advanceTimersByTime(100)
  expect(seen).toEqual([undefined, undefined])
})
