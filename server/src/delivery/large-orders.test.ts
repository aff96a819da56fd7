import { expect, test } from 'vitest'
import { createLargeOrders } from './large-orders.ts'

const million = 1_000_000

test('an organization has room for eight million characters of large events, all for 32, and what is small always has', () => {
  const large = createLargeOrders()
  const takeMillions = (organizationId: string) => {
    let taken = 0
    while (large.take(organizationId, million)) taken++
    return taken
  }
  expect(['a', 'b', 'c', 'd', 'e'].map(takeMillions)).toEqual([8, 8, 8, 8, 0])
  expect(large.take('a', 16_000)).toBe(true)
  large.release('a', 16_000)
  expect(takeMillions('e')).toBe(0)
  large.release('a', million)
  expect(takeMillions('e')).toBe(1)
})

test('one that is larger than all of that has room when it is alone', () => {
  const large = createLargeOrders()
  expect(large.take('a', 40 * million)).toBe(true)
  expect(large.take('b', million)).toBe(false)
  large.release('a', 40 * million)
  expect(large.take('b', million)).toBe(true)
})
