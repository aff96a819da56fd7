import { expect, test } from 'vitest'
import { canonicalAddress } from './canonical-address.ts'

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  ['0:0:0:0:0:ffff:CB00:7109', '203.0.113.9'],
  ['::ffff:203.0.113.9%eth0', '203.0.113.9'],
  ['::ffff:0.0.0.1', '0.0.0.1'],
  ['2001:DB8:0000::0:1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:0:cb00:7109', '::ffff:0:cb00:7109'],
  ['203.0.113.9%eth0', '203.0.113.9%eth0'],
  ['unknown', 'unknown'],
  ['', ''],
])('The address %j is written %j', (address, canonical) => {
  expect(canonicalAddress(address)).toBe(canonical)
})
