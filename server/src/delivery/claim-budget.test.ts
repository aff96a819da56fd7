import { describe, expect, test } from 'vitest'
import { createClaimBudget } from './claim-budget.ts'

const caps = { perWebhook: 10, perOrganization: 4, inAll: 16 }
const idle = () => ({ idle: 1, active: 0, utilization: 0 })
const times = (count: number, work: (index: number) => void) => Array.from({ length: count }, (_, index) => work(index))

test('of quick receivers the calls are claimed and four thousand more; a claim takes a quarter of what is left', () => {
  const budget = createClaimBudget(caps, () => {}, idle)
  const add = (count: number) =>
    times(count, (index) => budget.add({ organizationId: `o${index}`, isQuick: true, isFailing: false, room: 1 }))
  const most = { most: 4, full: [] }
  const nothing = { most: 0, full: [] }
  expect(budget.claimable('quick')).toEqual({ quick: { most: 400, full: [] }, others: nothing, failing: nothing })
  expect(budget.claimable('notQuick')).toEqual({ quick: nothing, others: most, failing: most })
  add(3_616)
  expect(budget.publishedMostOf('o')).toBe(32)
  add(1)
  expect(budget.publishedMostOf('o')).toBe(0)
  add(383)
  expect(budget.claimable('quick').quick.most).toBe(4)
  add(16)
  expect(budget.claimable('quick').quick.most).toBe(0)
  expect(budget.claimable('notQuick')).toMatchObject({ others: { most: 4 }, failing: { most: 4 } })
})

test('a large event takes the room of several, and gives it back', () => {
  const budget = createClaimBudget(caps, () => {}, idle)
  const claimed = { organizationId: 'o', isQuick: true, isFailing: false, room: 1 }
  budget.add(claimed, 2_004)
  expect(budget.claimable('quick').quick.full).toEqual(['o'])
  budget.remove(claimed, 2_004)
  expect(budget.claimable('quick').quick.full).toEqual([])
})

describe('of receivers that are not quick', () => {
  /** Every `add` begins a pause, whose end is told. */
  function watched() {
    let tell = () => {}
    const budget = createClaimBudget({ ...caps, perOrganization: 100 }, (kind) => kind === 'notQuick' && tell(), idle)
    const add = (count: number, isFailing: boolean) =>
      times(count, (index) => budget.add({ organizationId: `o${index}`, isQuick: false, isFailing, room: 1 }))
    return { ...budget, add, told: () => new Promise<void>((resolve) => (tell = resolve)) }
  }

  test('half the calls are claimed, a few at a time', async () => {
    const { add, claimable, isScarce, told } = watched()
    add(2, false)
    expect(claimable('quick').quick.most).toBe(400)
    expect(claimable('notQuick')).toMatchObject({ others: { most: 0 }, failing: { most: 0 } })
    await told()
    expect(claimable('notQuick')).toMatchObject({ others: { most: 3 }, failing: { most: 3 } })
    expect(isScarce()).toBe(false)
    add(3, false)
    add(3, true)
    await told()
    expect(claimable('quick').quick.most).toBe(400)
    expect(claimable('notQuick')).toMatchObject({ others: { most: 0 }, failing: { most: 0 } })
    expect(isScarce()).toBe(true)
  })

  test.each([
    ['those that are failing', true],
    ['the others', false],
  ])('%s get three quarters of that half, and what is left is not theirs', async (_, isFailing) => {
    const { add, claimable, isScarce, told } = watched()
    add(5, isFailing)
    await told()
    const [mine, theirs] = isFailing ? (['failing', 'others'] as const) : (['others', 'failing'] as const)
    expect(claimable('notQuick')[mine].most).toBe(1)
    add(1, isFailing)
    await told()
    expect(claimable('notQuick')[mine].most).toBe(0)
    expect(claimable('notQuick')[theirs].most).toBe(1)
    expect(isScarce()).toBe(true)
  })

  test('the last call is for either', async () => {
    const { add, claimable, told } = watched()
    add(4, true)
    add(3, false)
    await told()
    expect(claimable('notQuick')).toMatchObject({ others: { most: 1 }, failing: { most: 1 } })
  })

  test('the same holds of each organization', async () => {
    let tell = () => {}
    const budget = createClaimBudget(
      { perWebhook: 10, perOrganization: 16, inAll: 512 },
      (kind) => kind === 'notQuick' && tell(),
      idle,
    )
    const told = () => new Promise<void>((resolve) => (tell = resolve))
    const add = (count: number, isFailing: boolean) =>
      times(count, () => budget.add({ organizationId: 'a', isQuick: false, isFailing, room: 1 }))
    add(6, true)
    await told()
    expect(budget.claimable('notQuick')).toMatchObject({ others: { full: [] }, failing: { full: ['a'] } })
    expect(budget.isScarce()).toBe(true)
    add(2, false)
    expect(budget.claimable('notQuick').others.full).toEqual(['a'])
    await told()
    const freed = told()
    budget.remove({ organizationId: 'a', isQuick: false, isFailing: true, room: 1 })
    await freed
    expect(budget.claimable('notQuick')).toMatchObject({ others: { full: [] }, failing: { full: [] } })
  })

  test.each([1, 2, 3])('of %d calls in all either may have one', async (inAll) => {
    const { claimable } = createClaimBudget({ ...caps, inAll }, () => {}, idle)
    expect(claimable('notQuick')).toMatchObject({ others: { most: 1 }, failing: { most: 1 } })
  })
})

test('an organization with its calls and two thousand more is left out until it has less; that is told', () => {
  const told: string[] = []
  const budget = createClaimBudget(caps, (kind) => told.push(kind), idle)
  const [a, b] = [
    { organizationId: 'a', isQuick: true, isFailing: false, room: 1_600 },
    { organizationId: 'b', isQuick: true, isFailing: false, room: 1_600 },
  ]
  times(2_004, () => budget.add(a))
  budget.add(b)
  expect(budget.claimable('quick').quick.full).toEqual(['a'])
  expect(budget.publishedMostOf('a')).toBe(0)
  budget.remove(b)
  expect(told).toEqual([])
  budget.remove(a)
  expect(told).toEqual(['quick'])
  expect(budget.claimable('quick').quick.full).toEqual([])
  expect(budget.publishedMostOf('a')).toBeGreaterThan(0)
})
