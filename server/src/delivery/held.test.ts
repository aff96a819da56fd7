import { expect, test } from 'vitest'
import { createHeld } from './held.ts'

const caps = { perWebhook: 10, perOrganization: 4, inAll: 16 }
const times = (count: number, work: (index: number) => void) => Array.from({ length: count }, (_, index) => work(index))

test('of proven receivers the calls are held and a thousand more; a claim takes a quarter of what is left', () => {
  const held = createHeld(caps, () => {})
  const add = (count: number) => times(count, (index) => held.add({ organizationId: `o${index}`, isProven: true }))
  expect(held.claimable()).toEqual({ most: 200, mostUnproven: 8, full: [], fullUnproven: [] })
  add(1_000)
  expect(held.claimable()).toMatchObject({ most: 4 })
  add(16)
  expect(held.claimable()).toMatchObject({ most: 0, mostUnproven: 8 })
})

test('of receivers that are not proven half the calls are held, and of their organization half of its calls', () => {
  const held = createHeld(caps, () => {})
  const add = (organizationId: string) => held.add({ organizationId, isProven: false })
  times(2, () => add('a'))
  expect(held.claimable()).toEqual({ most: 200, mostUnproven: 6, full: [], fullUnproven: ['a'] })
  times(6, (index) => add(`o${index}`))
  expect(held.claimable()).toMatchObject({ most: 200, mostUnproven: 0 })
})

test('an organization that holds its calls and four hundred more is left out until it holds less; that is told', () => {
  let told = 0
  const held = createHeld(caps, () => told++)
  const [a, b] = [
    { organizationId: 'a', isProven: true },
    { organizationId: 'b', isProven: true },
  ]
  times(404, () => held.add(a))
  held.add(b)
  expect(held.claimable().full).toEqual(['a'])
  held.remove(b)
  expect(told).toBe(0)
  held.remove(a)
  expect(told).toBe(1)
  expect(held.claimable().full).toEqual([])
})
