import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NameServer, startNameServer } from '../../../tests/support/name-server.ts'
import { createNameLookup, type NameLookup } from './name-lookup.ts'

let nameServer: NameServer
let lookUp: NameLookup

beforeAll(async () => {
  nameServer = await startNameServer({
    'both.test': { A: ['93.184.216.34', '93.184.216.35'], AAAA: ['2606:2800:220:1:0:0:0:1'] },
    'ipv4.test': { A: ['93.184.216.34'] },
    'ipv6.test': { AAAA: ['2606:2800:220:1:0:0:0:1'] },
    'shared.test': { A: ['93.184.216.34'] },
    'none.test': {},
    'half.test': { A: ['93.184.216.34'], AAAA: 'silent' },
    'other-half.test': { A: 'silent', AAAA: ['2606:2800:220:1:0:0:0:1'] },
  })
  lookUp = createNameLookup([nameServer.address])
})

afterAll(() => nameServer.stop())

test('A look-up gives the addresses of each family, IPv6 first', async () => {
  expect(await Promise.all(lookUp('both.test'))).toEqual([['2606:2800:220:1::1'], ['93.184.216.34', '93.184.216.35']])
})

test.each([
  ['ipv4.test', [[], ['93.184.216.34']]],
  ['ipv6.test', [['2606:2800:220:1::1'], []]],
  ['none.test', [[], []]],
  ['nowhere.test', [[], []]],
])('A look-up gives no addresses of a family that has none: %s', async (name, addresses) => {
  expect(await Promise.all(lookUp(name))).toEqual(addresses)
})

test('A look-up gives each family as soon as it is answered, whatever becomes of the other', {
  timeout: 5_000,
}, async () => {
  expect(await lookUp('half.test')[1]).toEqual(['93.184.216.34'])
  expect(await lookUp('other-half.test')[0]).toEqual(['2606:2800:220:1::1'])
})

test('A look-up is shared by all who ask at the same time, and made again for those who come later', async () => {
  await Promise.all(Array.from({ length: 100 }).flatMap(() => lookUp('shared.test')))
  expect(nameServer.countQuestions('shared.test')).toBe(2)
  await Promise.all(lookUp('shared.test'))
  expect(nameServer.countQuestions('shared.test')).toBe(4)
})
