import { describe, expect, test } from 'vitest'
import type { Turns } from '../../ground/runtime/turns.ts'
import { createSlots } from './slots.ts'

/** Takes slots that are held until they are freed, in that order. */
function createHolder(slots: Turns) {
  const ends: (() => void)[] = []
  const begun: string[] = []
  const hold = (organization: string, waitMs = 60_000) =>
    slots.takeWithin<string | undefined>(
      waitMs,
      organization,
      async () => {
        begun.push(organization)
        await new Promise<void>((resolve) => ends.push(resolve))
        return organization
      },
      () => undefined,
    )
  const free = async () => {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return { hold, free, begun }
}

describe('Hook slots', () => {
  test('An organization has no more slots than its limit', () => {
    const { hold, begun } = createHolder(createSlots({ total: 100, perOrganization: 2 }))
    for (let index = 0; index < 5; index++) void hold('a')
    expect(begun).toEqual(['a', 'a'])
  })

  test('An organization has no more slots than are left to others, so that there is always one for the next', () => {
    const { hold, begun } = createHolder(createSlots({ total: 8, perOrganization: 8 }))
    for (const organization of ['a', 'b', 'c']) for (let index = 0; index < 8; index++) void hold(organization)
    expect(begun).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'c'])
  })

  test('A waiting run is served when a slot is freed, and that of the organization with the fewest first', async () => {
    const { hold, free, begun } = createHolder(createSlots({ total: 3, perOrganization: 2 }))
    const done = [hold('a'), hold('a'), hold('b'), hold('a'), hold('b'), hold('c')]
    expect(begun).toEqual(['a', 'a', 'b'])
    for (let index = 0; index < done.length; index++) await free()
    expect(await Promise.all(done)).toEqual(['a', 'a', 'b', 'a', 'b', 'c'])
    expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
  })

  test('A run that gets no slot in time does no work at all', async () => {
    const { hold, free, begun } = createHolder(createSlots({ total: 1, perOrganization: 1 }))
    const first = hold('a')
    expect(await hold('b', 1)).toBeUndefined()
    await free()
    expect(await first).toBe('a')
    expect(begun).toEqual(['a'])
  })

  test('A slot is free again when the work fails', async () => {
    const slots = createSlots({ total: 1, perOrganization: 1 })
    await expect(slots.take('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await slots.take('a', async () => 'done')).toBe('done')
  })

  test('No more than a thousand runs wait for a slot', async () => {
    const { hold, begun } = createHolder(createSlots({ total: 1, perOrganization: 1 }))
    for (let index = 0; index < 1_001; index++) void hold('a')
    expect(await hold('a')).toBeUndefined()
    expect(begun).toEqual(['a'])
  })
})
