import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstIdAt, isUuid, makeId } from './identifiers.ts'

/** Each test has a month of its own, after those before it, for the order is kept throughout the process. */
const startOf = (month: number) => Date.UTC(2026, month, 1)
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
const isAscending = (ids: string[]) => ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ''))

describe('makeId', () => {
  test('An id is a UUIDv7 of the millisecond given, of a fractional one too', () => {
    const ms = startOf(0)
    const id = makeId(ms + 0.75)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(timeOf(id)).toBe(ms)
  })

  test('An id has the time field of the example in RFC 9562, A.6', () => {
    expect(makeId(0x017f22e279b0)).toMatch(/^017f22e2-79b0-7/)
  })

  test('An id ascends within one millisecond, and borrows from the next ones rather than repeat itself', () => {
    const ms = startOf(1)
    const ids = Array.from({ length: 20_000 }, () => makeId(ms))
    expect(isAscending(ids)).toBe(true)
    expect(timeOf(ids[2_000] ?? '')).toBe(ms)
    expect(timeOf(ids.at(-1) ?? '')).toBeLessThan(ms + 10)
  })

  test('An id ascends under any clock that is never more than 30 s behind the latest it has shown', () => {
    const offsets = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 2, maxLength: 50 })
    let ms = startOf(2)
    fc.assert(
      fc.property(offsets, (all) => {
        ms += 60_000
        expect(isAscending(all.map((offset) => makeId(ms + offset)))).toBe(true)
      }),
    )
  })

  test('An id follows a clock that is set back by more', () => {
    const ms = startOf(3)
    expect(timeOf(makeId(ms))).toBe(ms)
    expect(timeOf(makeId(ms - 30_000))).toBe(ms)
    expect(timeOf(makeId(ms - 30_001))).toBe(ms - 30_001)
  })

  test('An id differs in its last 62 bits', () => {
    const tails = Array.from({ length: 1_000 }, () => makeId(startOf(4)).slice(19))
    expect(new Set(tails).size).toBe(1_000)
  })
})

describe('firstIdAt', () => {
  test('The first id of a time is not above any id of its millisecond, and above every id of the one before', () => {
    const ms = startOf(5)
    expect(firstIdAt(ms)).toBe('019e807a-ec00-7000-8000-000000000000')
    expect(firstIdAt(ms) > makeId(ms - 1)).toBe(true)
    expect(firstIdAt(ms + 0.9) <= makeId(ms)).toBe(true)
  })

  test('The first id of a time that no id can have is the nearest one', () => {
    expect(firstIdAt(-1)).toBe('00000000-0000-7000-8000-000000000000')
    expect(firstIdAt(8.64e15)).toBe('ffffffff-ffff-7000-8000-000000000000')
  })
})

describe('isUuid', () => {
  test.each([
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    '919108F7-52D1-4320-9BAC-F847DB4148A8',
    '00000000-0000-0000-0000-000000000000',
  ])('The function isUuid takes %s', (text) => {
    expect(isUuid(text)).toBe(true)
  })

  test.each([
    '',
    '017f22e279b07cc398c4dc0c0c07398f',
    '{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f0',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398g',
    '017f22e2-79b07-cc3-98c4-dc0c0c07398f',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n',
    ' 017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    '٠17f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  ])('The function isUuid refuses %j', (text) => {
    expect(isUuid(text)).toBe(false)
  })
})
