import { expect, test } from 'vitest'
import { isTimestamp, readTimes } from './timestamps.ts'

const schema = { properties: { since: { format: 'date-time' }, name: {} } }

test.each([
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
  ['2016-12-31t23:59:60.250z', '2016-12-31t23:59:59.999z'],
  ['1990-12-31T15:59:60-08:00', '1990-12-31T15:59:59.999-08:00'],
  ['2015-07-01T05:29:60+05:30', '2015-07-01T05:29:59.999+05:30'],
  ['9999-12-31T23:59:60Z', '9999-12-31T23:59:59.999Z'],
])('A leap second is the last moment of the second before: %s', (text, read) => {
  expect(isTimestamp(text)).toBe(true)
  expect(readTimes(schema, { since: text, name: text })).toEqual({ since: read, name: text })
})

test.each([
  '2016-12-31T23:59:61Z',
  '2016-12-31T23:60:59Z',
  '2016-12-31T12:00:60Z',
  '2016-12-31T23:58:60Z',
  '2016-12-30T23:59:60Z',
  '2016-12-31T23:59:60-08:00',
  '2016-12-31T23:59:60',
  '2016-12-31T23:59:59+00:60',
  '2016-02-30T23:59:60Z',
])('A second that is none is no time: %s', (text) => {
  expect(isTimestamp(text)).toBe(false)
})

test('Every other time is left as it came', () => {
  for (const text of ['2026-11-25T09:30:00.123456789+01:00', '2016-12-31T23:59:59Z'])
    expect(readTimes(schema, { since: text })).toEqual({ since: text })
  expect(readTimes(schema, {})).toEqual({})
  expect(readTimes(schema, null)).toBe(null)
  expect(readTimes({ type: 'array' }, [1])).toEqual([1])
})
