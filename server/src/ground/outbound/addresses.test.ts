import { describe, expect, test } from 'vitest'
import { createAddressRule, createAddressSet, parseCidrs } from './addresses.ts'

test.each([
  '10.1.2.3',
  '::ffff:10.1.2.3',
  '::FFFF:a01:203',
  '192.0.2.1',
  '::ffff:192.0.2.1',
  'fe80::1',
  'FE80:0::1%eth0',
])('The address %s is in a set, however it is written', (address) => {
  const isIn = createAddressSet(['10.0.0.0/8', '::ffff:192.0.2.0/120', 'fe80::/10'])
  expect(isIn(address)).toBe(true)
  for (const other of ['11.0.0.1', '::ffff:11.0.0.1', '192.0.3.1', 'fd00::1', '10.1.2.3%eth0', 'unknown', ''])
    expect(isIn(other)).toBe(false)
})

describe('createAddressRule', () => {
  const isPublic = createAddressRule([])

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '161.25.255.255',
    '161.27.0.0',
    '166.7.255.255',
    '166.12.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2000::1',
    '2001:200::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:830::200e',
    '3ffe:ffff::1',
  ])('The address rule takes %s', (address) => {
    expect(isPublic(address)).toBe(true)
  })

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.1',
    '::FFFF:7F00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::ffff:8.8.8.8',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:7f00:1::1',
    '2001:20::1',
    '2001:1ff:ffff::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    '2002:a00:1::1',
    '3fff::1',
    '3fff:fff:ffff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456:789a::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2606:4700:4700::1111%eth0',
    '',
    'localhost',
    '8.8.8',
    '08.8.8.8',
    '0x8.8.8.8',
    '134744072',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8.8/32',
    '[2606:4700:4700::1111]',
  ])('The address rule refuses %j', (address) => {
    expect(isPublic(address)).toBe(false)
  })

  test.each([
    ['AWS and others', '169.254.169.254'],
    ['AWS', '169.254.170.2'],
    ['AWS', 'fd00:ec2::254'],
    ['Azure', '168.63.129.16'],
    ['Azure', '::ffff:168.63.129.16'],
    ['Google Cloud', 'fd20:ce::254'],
    ['Alibaba Cloud', '100.100.100.200'],
    ['Oracle Cloud', '192.0.0.192'],
    ['Oracle Cloud', 'fd00:c1::a9fe:a9fe'],
    ['Tencent Cloud', '169.254.0.23'],
    ['Scaleway', '169.254.42.42'],
    ['IBM Cloud', '161.26.0.10'],
    ['IBM Cloud', '166.9.14.5'],
  ])('The address rule refuses the metadata address of a cloud: %s, %s', (_cloud, address) => {
    expect(isPublic(address)).toBe(false)
  })

  test('The address rule takes ranges that are allowed besides, to the bit', () => {
    const isAllowed = createAddressRule(['10.1.0.0/16', '192.168.7.7', 'fd00::/8', '::1'])
    const taken = ['10.1.0.0', '10.1.255.255', '192.168.7.7', 'fd00::1', '::1', '::ffff:10.1.2.3', '8.8.8.8']
    const refused = [
      '10.0.255.255',
      '10.2.0.0',
      '192.168.7.6',
      '192.168.7.8',
      'fc00::1',
      '::2',
      '::ffff:10.2.0.0',
      'fd00::1%lo',
    ]
    expect(taken.filter((address) => !isAllowed(address))).toEqual([])
    expect(refused.filter(isAllowed)).toEqual([])
  })

  test('The address rule takes every address where all are allowed, but no text that is not an address', () => {
    const isAllowed = createAddressRule(['0.0.0.0/0', '::/0'])
    expect(['127.0.0.1', '::1', 'fe80::1'].every(isAllowed)).toBe(true)
    expect(isAllowed('localhost')).toBe(false)
  })
})

describe('parseCidrs', () => {
  test('The function parseCidrs reads ranges and addresses of both families', () => {
    const cidrs = ['10.0.0.0/8', '127.0.0.1', '0.0.0.0/0', 'fd00::/8', '::1', '::ffff:10.0.0.0/104', 'FD00::/128']
    expect(parseCidrs(cidrs.join(' , '))).toEqual({ cidrs })
    expect(() => createAddressRule(cidrs)).not.toThrow()
  })

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0/8',
    '10.0.0.0/8/8',
    'fd00::/129',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
    'localhost',
    '[::1]',
    '*',
  ])('The function parseCidrs refuses %s', (entry) => {
    expect(parseCidrs(`10.0.0.0/8,${entry}`)).toEqual({ problem: `${entry} is not an address or CIDR` })
  })

  test('The function parseCidrs refuses an empty entry', () => {
    expect(parseCidrs('10.0.0.0/8,')).toEqual({ problem: 'an empty entry is not an address or CIDR' })
  })
})
