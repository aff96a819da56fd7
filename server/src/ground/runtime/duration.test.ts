import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['+0', 0],
    ['-0', 0],
    ['0s', 0],
    ['-0s', 0],
    ['5s', 5 * second],
    ['+5s', 5 * second],
    ['-5s', -5 * second],
    ['1.5s', 1.5 * second],
    ['1.s', second],
    ['0.999999999s', 999.999999],
    ['.5s', second / 2],
    ['1.004s', 1.004 * second],
    ['100.00100s', 100.001 * second],
    ['10ns', 0.00001],
    ['1us', 0.001],
    ['1\u00b5s', 0.001],
    ['1\u03bcs', 0.001],
    ['500ms', 500],
    ['1h2m', hour + 2 * minute],
    ['1m30s', 90 * second],
    ['3h30m', 3.5 * hour],
    ['10.5s4m', 4 * minute + 10.5 * second],
    ['-2m3.4s', -(2 * minute + 3.4 * second)],
    ['1s1s', 2 * second],
    ['39h9m14.425s', 39 * hour + 9 * minute + 14.425 * second],
    ['0.3333333333333333333h', 20 * minute],
    ['0.100000000000000000000h', 6 * minute],
    ['0.9ns', 0],
    ['2562047h47m16.854775807s', 2 ** 63 / 1e6],
    ['-2562047h47m16.854775808s', -(2 ** 63) / 1e6],
  ])('The function parseDuration reads %j', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  test.each([
    '',
    '3',
    '-',
    '+',
    's',
    '.',
    '-.',
    '.s',
    '+.s',
    '1',
    '1d',
    '1S',
    '1 s',
    ' 1s',
    '1s ',
    '1s\n',
    '1,5s',
    '1.5.5s',
    '1e3s',
    '--1s',
    '1s-1s',
    '1s2',
    '0x1s',
    '\u0661s',
    '\u{1d7cf}s',
    'Infinitys',
    '2562047h47m16.854775808s',
    '3000000h',
    '9223372036854775808ns',
    `${'0'.repeat(64)}s`,
  ])('The function parseDuration refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  test('The function parseDuration reads up to 64 characters', () => {
    expect(parseDuration(`${'0'.repeat(62)}1s`)).toBe(second)
  })
})

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [0.000001, '1ns'],
    [0.0011, '1.1\u00b5s'],
    [0.001, '1\u00b5s'],
    [0.999999, '999.999\u00b5s'],
    [2.2, '2.2ms'],
    [500, '500ms'],
    [999.999999, '999.999999ms'],
    [second, '1s'],
    [1.5 * second, '1.5s'],
    [10 * second, '10s'],
    [3.000000001 * second, '3.000000001s'],
    [minute, '1m0s'],
    [90 * second, '1m30s'],
    [4 * minute + 5.001 * second, '4m5.001s'],
    [hour, '1h0m0s'],
    [5 * hour + 6 * minute + 7.001 * second, '5h6m7.001s'],
    [100 * hour, '100h0m0s'],
    [-1.5 * second, '-1.5s'],
    [-90 * second, '-1m30s'],
  ])('The function formatDuration writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  test('A formatted duration is read back as the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 50), max: 2 ** 50 }), (nanoseconds) => {
        expect(parseDuration(formatDuration(nanoseconds / 1e6))).toBe(nanoseconds / 1e6 || 0)
      }),
    )
  })
})
