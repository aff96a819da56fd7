import { expect, test } from 'vitest'
import { callerAt, createCallerLimit } from './rate-limit.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['::ffff:203.0.113.7%eth0', '203.0.113.7'],
  ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
  ['2001:DB8:0000:0001:a:b:c:d', '2001:db8:0:1::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('Requests from %s count for %s', (address, caller) => {
  expect(callerAt(address)).toBe(caller)
})

test('The rate limit remembers so many addresses: the one idle for longest is forgotten first', () => {
  const { takeAddress } = createCallerLimit({ now: () => 0 }, { perMinute: 1, burst: 1 })
  for (const address of ['first', 'second']) takeAddress(address)
  for (let others = 0; others < 99_998; others++) takeAddress(`other ${others}`)
  expect(() => takeAddress('first')).toThrow('rate limit')
  takeAddress('one more')
  expect(() => takeAddress('first')).not.toThrow()
  expect(() => takeAddress('other 0')).toThrow('rate limit')
})

test('An organization counts in one spelling, and for ten addresses', () => {
  const { takeAddress, takeOrganization } = createCallerLimit({ now: () => 0 }, { perMinute: 1, burst: 2 })
  for (let times = 0; times < 20; times++) takeOrganization(times % 2 ? 'ABC' : 'abc')
  expect(() => takeOrganization('Abc')).toThrow('rate limit')
  expect(() => takeOrganization('abd')).not.toThrow()
  expect(() => takeAddress('abc')).not.toThrow()
})
