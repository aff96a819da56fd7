import { expect, test } from 'vitest'
import { manyOf, percent, times } from './health-words.ts'

test.each([
  [0, '0 %'],
  [1, '100 %'],
  [0.0004, 'under 0.1 %'],
  [0.0123, '1.2 %'],
  [0.9999, '99.9 %'],
])('A share of %s is said as %s', (share, words) => {
  expect(percent(share)).toBe(words)
})

test('Once is once', () => {
  expect(times(1)).toBe('once')
  expect(times(1200)).toMatch(/^1.200 times$/)
})

test('What the service stopped counting is at least so many', () => {
  expect(manyOf(9_999)).toMatch(/^9.999$/)
  expect(manyOf(10_000)).toMatch(/^10.000\+$/)
})
