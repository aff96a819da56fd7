import { expect, test } from 'vitest'
import { callerAt } from './rate-limit.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
  ['2001:DB8:0000:0001:a:b:c:d', '2001:db8:0:1::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('calls from %s count for %s', (address, caller) => {
  expect(callerAt(address)).toBe(caller)
})

test('two IPv4 addresses inside IPv6 are two callers, in every spelling', () => {
  expect(callerAt('::ffff:203.0.113.7')).toBe(callerAt('::FFFF:cb00:7107'))
  expect(callerAt('::ffff:203.0.113.7')).not.toBe(callerAt('::ffff:203.0.113.8'))
})
