import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NameServer, startNameServer } from '../../tests/support/name-server.ts'
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

test('gives the addresses of both families, IPv4 first', async () => {
  expect(await lookUp('both.test')).toEqual(['93.184.216.34', '93.184.216.35', '2606:2800:220:1::1'])
})

test('is content with one family', async () => {
  expect(await lookUp('ipv4.test')).toEqual(['93.184.216.34'])
  expect(await lookUp('ipv6.test')).toEqual(['2606:2800:220:1::1'])
})

test('does not wait for a family that is not answered', { timeout: 1_000 }, async () => {
  expect(await lookUp('half.test')).toEqual(['93.184.216.34'])
  expect(await lookUp('other-half.test')).toEqual(['2606:2800:220:1::1'])
})

test('fails with name_not_found for a name that does not exist or has no address', async () => {
  await expect(lookUp('nowhere.test')).rejects.toMatchObject({ code: 'name_not_found' })
  await expect(lookUp('none.test')).rejects.toMatchObject({ code: 'name_not_found' })
})

test('asks once for all who want to know at the same time, and again for those who come later', async () => {
  await Promise.all(Array.from({ length: 100 }, () => lookUp('shared.test')))
  expect(nameServer.asked('shared.test')).toBe(2)
  await lookUp('shared.test')
  expect(nameServer.asked('shared.test')).toBe(4)
})
