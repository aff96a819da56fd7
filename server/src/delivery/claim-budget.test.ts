import { describe, expect, test } from 'vitest'
import { createClaimBudget } from './claim-budget.ts'

const caps = { perWebhook: 10, perOrganization: 4, inAll: 16 }
const times = (count: number, work: (index: number) => void) => Array.from({ length: count }, (_, index) => work(index))

test('of quick receivers the calls are claimed and two thousand more; a claim takes a quarter of what is left', () => {
  const budget = createClaimBudget(caps, () => {})
  const add = (count: number) =>
    times(count, (index) => budget.add({ organizationId: `o${index}`, isQuick: true, isNew: false }))
  const most = { most: 4, full: [] }
  expect(budget.claimable()).toEqual({ quick: { most: 400, full: [] }, new: most, others: most })
  add(2_000)
  expect(budget.claimable().quick.most).toBe(4)
  add(16)
  expect(budget.claimable()).toMatchObject({ quick: { most: 0 }, new: { most: 4 }, others: { most: 4 } })
})

describe('of receivers that are not quick', () => {
  /** Becomes true when a pause is over. */
  function watched() {
    let tell = () => {}
    const budget = createClaimBudget(caps, () => tell())
    const add = (organizationId: string, isNew: boolean) => budget.add({ organizationId, isQuick: false, isNew })
    return { ...budget, add, told: () => new Promise<void>((resolve) => (tell = resolve)) }
  }

  test('half the calls are claimed, and of their organization half of its calls, a few at a time', async () => {
    const { add, claimable, isScarce, told } = watched()
    times(2, () => add('a', true))
    expect(claimable()).toMatchObject({ quick: { most: 400 }, new: { most: 0 }, others: { most: 0 } })
    await told()
    expect(claimable()).toMatchObject({ new: { most: 3, full: ['a'] }, others: { most: 3, full: ['a'] } })
    times(6, (index) => add(`o${index}`, true))
    await told()
    expect(claimable()).toMatchObject({ quick: { most: 400 }, new: { most: 0 }, others: { most: 0 } })
    expect(isScarce()).toBe(true)
  })

  test('a quarter of that half is left to new ones, in all and of an organization', async () => {
    const { add, claimable, isScarce, told } = watched()
    times(5, (index) => add(`o${index}`, false))
    await told()
    expect(claimable()).toMatchObject({ new: { most: 2, full: [] }, others: { most: 1 } })
    expect(claimable().others.full).toContain('o1')
    add('o5', false)
    await told()
    expect(claimable()).toMatchObject({ new: { most: 1 }, others: { most: 0 } })
    expect(isScarce()).toBe(true)
    add('o6', true)
    await told()
    expect(claimable()).toMatchObject({ new: { most: 1 }, others: { most: 0 } })
  })
})

test('an organization with its calls and a thousand more is left out until it has less; that is told', () => {
  let told = 0
  const budget = createClaimBudget(caps, () => told++)
  const [a, b] = [
    { organizationId: 'a', isQuick: true, isNew: false },
    { organizationId: 'b', isQuick: true, isNew: false },
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
