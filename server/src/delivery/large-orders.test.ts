import { expect, test } from 'vitest'
import { createLargeOrders } from './large-orders.ts'

const million = 1_000_000
const quick = (organizationId: string) => ({ organizationId, isQuick: true })
const dead = (organizationId: string) => ({ organizationId, isQuick: false })

type Receiver = ReturnType<typeof quick>

/** So many events of a million bytes found room. */
function takeMillions(large: ReturnType<typeof createLargeOrders>, receiver: Receiver) {
  let taken = 0
  while (large.take(receiver, million)) taken++
  return taken
}

test('an organization has room for eight million bytes of large events, all for 32, and what is small always has', () => {
  const large = createLargeOrders()
  expect(['a', 'b', 'c', 'd', 'e'].map((id) => takeMillions(large, quick(id)))).toEqual([8, 8, 8, 8, 0])
  expect(large.take(quick('a'), 16_000)).toBe(true)
  large.release(quick('a'), 16_000)
  expect(takeMillions(large, quick('e'))).toBe(0)
  large.release(quick('a'), million)
  expect(takeMillions(large, quick('e'))).toBe(1)
})

test('receivers that are not quick have half of it together, and half of their organization’s', () => {
  const large = createLargeOrders()
  expect(['a', 'b', 'c', 'd', 'e'].map((id) => takeMillions(large, dead(id)))).toEqual([4, 4, 4, 4, 0])
  expect(takeMillions(large, quick('a'))).toBe(4)
  expect(takeMillions(large, quick('e'))).toBe(8)
  large.release(dead('a'), million)
  expect(takeMillions(large, dead('f'))).toBe(1)
})

test('one that is larger than all of that has room when it is alone', () => {
  const large = createLargeOrders()
  expect(large.take(quick('a'), 40 * million)).toBe(true)
  expect(large.take(quick('b'), million)).toBe(false)
  large.release(quick('a'), 40 * million)
  expect(large.take(quick('b'), million)).toBe(true)
})
