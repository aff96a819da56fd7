import { expect, test } from 'vitest'
import { createLargeCounts, freshMs, largeCount } from './large-counts.ts'

test('A large count is kept for a moment, of what was counted alone', async () => {
  let now = 0
  const counts = createLargeCounts(() => now)
  const count = async (value: number, what = 'ours') => counts(what, async () => value)
  expect(await count(largeCount)).toBe(largeCount)
  now = freshMs - 1
  expect(await count(7)).toBe(largeCount)
  expect(await count(7, 'theirs')).toBe(7)
  now = freshMs
  expect(await count(7)).toBe(7)
})

test('A count that is not large is made anew each time', async () => {
  const counts = createLargeCounts(() => 0)
  for (const value of [0, largeCount - 1, 3]) expect(await counts('ours', async () => value)).toBe(value)
})
