import { focusManager } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchPresence } from './presence.ts'

const hourMs = 3_600_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

// Proves console/12.
test('A page that was left open for an hour asks for nothing more by itself, until somebody comes back', () => {
  const page = new EventTarget()
  watchPresence(page)
  vi.advanceTimersByTime(hourMs - 1)
  page.dispatchEvent(new Event('keydown'))
  vi.advanceTimersByTime(hourMs - 1)
  expect(focusManager.isFocused()).toBe(true)
  vi.advanceTimersByTime(1)
  expect(focusManager.isFocused()).toBe(false)
  page.dispatchEvent(new Event('pointerdown'))
  expect(focusManager.isFocused()).toBe(true)
})
