import { expect, test } from 'vitest'
import { leaseMs } from './lease.ts'
import { createRecalled } from './recalled.ts'

test('what is recalled is so for whoever claimed it before, and for nobody who claims it afterwards', () => {
  const recalled = createRecalled()
  recalled.add('a', 100)
  expect([99, 100, 101].map((since) => recalled.wasRecalled('a', since))).toEqual([true, true, false])
  expect(recalled.wasRecalled('b', 0)).toBe(false)
})

test('a recall is remembered for as long as a lease, counted from the last one', () => {
  const recalled = createRecalled()
  for (const id of ['a', 'b']) recalled.add(id, 0)
  recalled.add('a', 1)
  recalled.add('c', leaseMs + 1)
  expect(['a', 'b', 'c'].map((id) => recalled.wasRecalled(id, 0))).toEqual([true, false, true])
})
