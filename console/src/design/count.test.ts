import { expect, test } from 'vitest'
import { countUpTo } from './count.ts'

test('A count that stopped is told from one that did not', () => {
  expect([999, 1_000].map((count) => countUpTo(count, 1_000))).toEqual(['999', '1,000+'])
})
