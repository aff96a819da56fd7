import { expect, test } from 'vitest'
import { since } from '../src/arguments.ts'

test('A time may be a leap second, which is the end of the second before, as the service takes it', () => {
  expect(since('2016-12-31T23:59:60Z')).toBe('2016-12-31T23:59:59.999Z')
  expect(since('1990-12-31T15:59:60.5-08:00')).toBe('1990-12-31T23:59:59.999Z')
  expect(() => since('2016-12-31T23:60:60Z')).toThrow('must be a duration')
})
