import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ask,
  behindProxies,
  closeShell,
  credentials,
  database,
  jsonIn,
  newPerson,
  openShell,
  ours,
  patience,
  receiver,
  signet,
  speak,
  unknownId,
  uuidForm,
} from '../support/own-shell.ts'
import { refused } from '../support/refused.ts'
import type { Headings } from '../support/signet.ts'

beforeAll(openShell)
afterAll(closeShell)

/** A path of the receiver that hears of every person that is created from now on. */
async function listen(path: string) {
  const { body } = await ask('POST', '/organizations/webhooks', { name: path, target_url: receiver.url(path) })
  const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
  await ask('POST', `/organizations/webhooks/${body.result.id}/triggers`, trigger)
  return {
    /** The analytics of the events that tell of these persons. */
    analyticsOf: async (personIds: string[]) => {
      const contents = (await receiver.waitFor(path, personIds.length)).map((received) => contentOf(received.body))
      return personIds.map((id) => contents.find((content) => content.person_id === id).analytics_metadata)
    },
    close: () => ask('DELETE', `/organizations/webhooks/${body.result.id}`),
  }
}

const contentOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).trigger_content

describe('The consistency headers', () => {
  const levelRule = 'Service-Required-Consistency: must be local_region or all_regions'
  const timeoutRule = 'Service-Required-Consistency-Timeout: must be an integer from 1 to 120 (seconds)'
  const create = (headers: Headings) => ask('POST', '/groups', { name: 'consistent' }, headers)

  test.each(['local_region', 'all_regions'])('The consistency level %s is accepted (4)', async (level) => {
    expect((await create({ 'Service-Required-Consistency': level })).status).toBe(201)
  })

  test.each(['', 'region', 'LOCAL_REGION', 'local_region,all_regions', 'all-regions'])(
    'The consistency level %j is refused with 400 (4)',
    async (level) => {
      expect(await create({ 'Service-Required-Consistency': level })).toMatchObject(refused(400, levelRule))
    },
  )

  // White space around a header's value is not part of it (RFC 9110, 5.5).
  test.each(['1', '30', '120', ' 5', '5 '])('The consistency timeout %j is accepted (4)', async (seconds) => {
    expect((await create({ 'Service-Required-Consistency-Timeout': seconds })).status).toBe(201)
  })

  test.each([
    '',
    '0',
    '121',
    '-1',
    '1.5',
    '1.0',
    '+5',
    '1e1',
    '0x10',
    '5s',
    'ten',
    '1, 2',
    '1 2',
    '1000',
    '99999999999',
  ])('The consistency timeout %j is refused with 400 (4)', async (seconds) => {
    expect(await create({ 'Service-Required-Consistency-Timeout': seconds })).toMatchObject(refused(400, timeoutRule))
  })

  test('Consistency headers that are given twice are refused', async () => {
    const timeout = 'Service-Required-Consistency-Timeout: 5'
    const lines = ['POST /groups HTTP/1.1', 'Host: localhost', ...credentials(), timeout, timeout]
    const answer = await speak(...lines, 'Connection: close', 'Content-Length: 0', '', '')
    expect(jsonIn(answer)).toEqual(refused(400, timeoutRule).body)
  })

  test('Consistency headers are read by every operation that writes, and each of the two is reported', async () => {
    const { body: document } = await signet.call('GET', '/openapi.json')
    const headers = { 'Service-Required-Consistency': 'x', 'Service-Required-Consistency-Timeout': 'x' }
    for (const [path, operations] of Object.entries<Record<string, { security: object[] }>>(document.paths))
      for (const [method, { security }] of Object.entries(operations)) {
        if (method === 'get') continue
        const known = { 'Service-OrgID': ours.id, 'Service-API-Key': ours.apiKey }
        const caller = security.some((each) => 'operator' in each)
          ? { 'Service-Operator-Key': signet.operatorKey }
          : known
        const reply = await signet.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, unknownId), {
          ...caller,
          ...headers,
        })
        expect(reply, `${method} ${path}`).toMatchObject(refused(400, levelRule, timeoutRule))
      }
  })

  test.each(['local_region', 'all_regions'])(
    'A request for %s is 408 at its timeout, and the change may still be made (4)',
    async (level) => {
      const person = `/persons/${await newPerson()}`
      const isActive = async () => (await ask('GET', person)).body.result.active
      const holder = new pg.Client(database)
      // A test that fails leaves it to be ended with its database.
      holder.on('error', () => {})
      await holder.connect()
      await holder.query('begin')
      await holder.query('select from persons where id = $1 for update', [person.slice('/persons/'.length)])

      const headers = { 'Service-Required-Consistency': level, 'Service-Required-Consistency-Timeout': '1' }
      const start = performance.now()
      const answer = await ask('PATCH', person, { active: false }, headers)
      expect(answer).toMatchObject(
        refused(408, 'Service-Required-Consistency-Timeout: not reached in time; the request may still be handled'),
      )
      const elapsedMs = performance.now() - start
      expect(elapsedMs).toBeGreaterThan(950)
      // Long before the thirty seconds of the default.
      expect(elapsedMs).toBeLessThan(20_000)

      expect(await isActive()).toBe(true)
      await newPerson()
      await holder.query('rollback')
      await holder.end()
      await expect.poll(isActive, patience).toBe(false)
      const inTime = { 'Service-Required-Consistency': level }
      expect((await ask('PATCH', person, { active: true }, inTime)).status).toBe(200)
    },
  )
})

describe('The events that a request causes', () => {
  test('Events have the Service-Correlation-Id of their request where that is a UUID, else a new one each (6.1)', async () => {
    const { analyticsOf, close } = await listen('/correlation')
    const correlationIds = [unknownId, unknownId.replaceAll('0', 'A'), 'x', `${unknownId}0`, '']
    const headers = [...correlationIds.map((id) => ({ 'Service-Correlation-Id': id })), {}]
    const persons: string[] = []
    for (const each of headers) persons.push(await newPerson(signet, each))
    const ids = (await analyticsOf(persons)).map((analytics) => analytics.analytics_correlation_id)
    expect(ids.slice(0, 2)).toEqual([unknownId, unknownId.replaceAll('0', 'a')])
    for (const id of ids) expect(id).toMatch(uuidForm)
    expect(new Set(ids).size).toBe(ids.length)
    await close()
  })

  test('Events have the address of the connection, whatever X-Forwarded-For says (6.1)', async () => {
    const { analyticsOf, close } = await listen('/addresses')
    const persons = [await newPerson(), await newPerson(signet, { 'X-Forwarded-For': '203.0.113.7' })]
    for (const { client_ip_address } of await analyticsOf(persons)) expect(client_ip_address).toBe('127.0.0.1')
    await close()
  })

  test('Events behind trusted proxies have the rightmost address that is not one of them (6.1)', async () => {
    const { analyticsOf, close } = await listen('/proxied')
    const expected: [string, string][] = [
      ['203.0.113.7', '203.0.113.7'],
      ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
      ['198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
      ['203.0.113.7, 10.1.2.3, 127.0.0.1', '203.0.113.7'],
      ['10.9.9.9, 10.1.2.3', '10.9.9.9'],
      ['2001:db8::7', '2001:db8::7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['::FFFF:cb00:7107', '203.0.113.7'],
      ['203.0.113.7, ::ffff:10.1.2.3', '203.0.113.7'],
      ['203.0.113.7, ::ffff:a01:203', '203.0.113.7'],
      ['[0:0:0:0:0:ffff:cb00:7107]:443', '203.0.113.7'],
      ['2001:DB8:0:0::7', '2001:db8::7'],
      ['fe80::7%eth0', 'fe80::7'],
      ['', '127.0.0.1'],
      ['unknown', '127.0.0.1'],
      ['203.0.113.7, <script>', '127.0.0.1'],
      ['<script>, 203.0.113.7', '203.0.113.7'],
      ['203.0.113.7, unknown, 10.1.2.3', '10.1.2.3'],
    ]
    const persons: string[] = []
    for (const [forwarded] of expected)
      persons.push(
        await newPerson(behindProxies, { 'X-Forwarded-For': forwarded, 'X-Forwarded-Host': 'x', 'X-Real-Ip': 'x' }),
      )
    const addresses = (await analyticsOf(persons)).map((analytics) => analytics.client_ip_address)
    expect(expected.map(([forwarded], index) => [forwarded, addresses[index]])).toEqual(expected)
    await close()
  })
})
