import { describe, expect, test } from 'vitest'
import { createClaimBudget } from './claim-budget.ts'

const caps = { perWebhook: 10, perOrganization: 4, inAll: 16 }
const times = (count: number, work: (index: number) => void) => Array.from({ length: count }, (_, index) => work(index))

test('of quick receivers the calls are claimed and two thousand more; a claim takes a quarter of what is left', () => {
  const budget = createClaimBudget(caps, () => {})
  const add = (count: number) =>
    times(count, (index) => budget.add({ organizationId: `o${index}`, isQuick: true, isFailing: false }))
  const most = { most: 4, full: [] }
  expect(budget.claimable()).toEqual({ quick: { most: 400, full: [] }, others: most, failing: most })
  add(2_000)
  expect(budget.claimable().quick.most).toBe(4)
  add(16)
  expect(budget.claimable()).toMatchObject({ quick: { most: 0 }, others: { most: 4 }, failing: { most: 4 } })
})

describe('of receivers that are not quick', () => {
  /** Becomes true when a pause is over. */
  function watched() {
    let tell = () => {}
    const budget = createClaimBudget(caps, () => tell())
    const add = (organizationId: string, isFailing: boolean) =>
      budget.add({ organizationId, isQuick: false, isFailing })
    return { ...budget, add, told: () => new Promise<void>((resolve) => (tell = resolve)) }
  }

  test('half the calls are claimed, and of their organization half of its calls, a few at a time', async () => {
    const { add, claimable, isScarce, told } = watched()
    times(2, () => add('a', false))
    expect(claimable()).toMatchObject({ quick: { most: 400 }, others: { most: 0 }, failing: { most: 0 } })
    await told()
    expect(claimable()).toMatchObject({ others: { most: 3, full: ['a'] }, failing: { most: 3, full: ['a'] } })
    times(6, (index) => add(`o${index}`, false))
    await told()
    expect(claimable()).toMatchObject({ quick: { most: 400 }, others: { most: 0 }, failing: { most: 0 } })
    expect(isScarce()).toBe(true)
  })

  test('a quarter of that half is left to those that have not failed for long, in all and of an organization', async () => {
    const { add, claimable, isScarce, told } = watched()
    times(5, (index) => add(`o${index}`, true))
    await told()
    expect(claimable()).toMatchObject({ others: { most: 2, full: [] }, failing: { most: 1 } })
    expect(claimable().failing.full).toContain('o1')
    add('o5', true)
    await told()
    expect(claimable()).toMatchObject({ others: { most: 1 }, failing: { most: 0 } })
    expect(isScarce()).toBe(true)
  })

  test('the last call is whose turn it is', async () => {
    const { add, claimable, told } = watched()
    times(4, (index) => add(`o${index}`, true))
    times(3, (index) => add(`p${index}`, false))
    await told()
    expect(claimable()).toMatchObject({ others: { most: 1 }, failing: { most: 1 } })
  })
})

test('an organization with its calls and a thousand more is left out until it has less; that is told', () => {
  let told = 0
  const budget = createClaimBudget(caps, () => told++)
  const [a, b] = [
    { organizationId: 'a', isQuick: true, isFailing: false },
    { organizationId: 'b', isQuick: true, isFailing: false },
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
