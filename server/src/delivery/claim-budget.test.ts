import { expect, test } from 'vitest'
import { createClaimBudget } from './claim-budget.ts'

const caps = { perWebhook: 10, perOrganization: 4, inAll: 16 }
const times = (count: number, work: (index: number) => void) => Array.from({ length: count }, (_, index) => work(index))

test('of quick receivers the calls are claimed and two thousand more; a claim takes a quarter of what is left', () => {
  const budget = createClaimBudget(caps, () => {})
  const add = (count: number) => times(count, (index) => budget.add({ organizationId: `o${index}`, isQuick: true }))
  expect(budget.claimable()).toEqual({ quick: { most: 400, full: [] }, others: { most: 4, full: [] } })
  add(2_000)
  expect(budget.claimable().quick.most).toBe(4)
  add(16)
  expect(budget.claimable()).toMatchObject({ quick: { most: 0 }, others: { most: 4 } })
})

test('of the others half the calls are claimed, and of their organization half of its calls, a few at a time', async () => {
  let tell = () => {}
  const told = () => new Promise<void>((resolve) => (tell = resolve))
  const budget = createClaimBudget(caps, () => tell())
  const add = (organizationId: string) => budget.add({ organizationId, isQuick: false })
  times(2, () => add('a'))
  expect(budget.claimable()).toEqual({ quick: { most: 400, full: [] }, others: { most: 0, full: ['a'] } })
  await told()
  expect(budget.claimable().others).toEqual({ most: 4, full: ['a'] })
  times(6, (index) => add(`o${index}`))
  await told()
  expect(budget.claimable()).toMatchObject({ quick: { most: 400 }, others: { most: 0 } })
  expect(budget.isScarce()).toBe(true)
})

test('an organization with its calls and a thousand more is left out until it has less; that is told', () => {
  let told = 0
  const budget = createClaimBudget(caps, () => told++)
  const [a, b] = [
    { organizationId: 'a', isQuick: true },
    { organizationId: 'b', isQuick: true },
  ]
  times(1_004, () => budget.add(a))
  budget.add(b)
  expect(budget.claimable().quick.full).toEqual(['a'])
  budget.remove(b)
  expect(told).toBe(0)
  budget.remove(a)
  expect(told).toBe(1)
  expect(budget.claimable().quick.full).toEqual([])
})
