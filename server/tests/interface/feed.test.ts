import { fromBinary } from '@bufbuild/protobuf'
import { sizeDelimitedPeek } from '@bufbuild/protobuf/wire'
import { EventTemplateSchema, PersonCreated_v1Schema } from '@signet/proto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drawPosition } from '../support/draw-position.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

let signet: OwnSignet
let organization: Organization

beforeAll(async () => {
  signet = await startOwnSignet({ env: { SIGNET_RATE_TEST_EVENTS: '100000/100000' } })
  organization = await signet.organization()
})
afterAll(() => signet?.stop())

const publish = (names: string[], at = organization) =>
  signet.as(
    at,
    'POST',
    '/test-events',
    names.map((event_name) => ({ event_name })),
  )
const read = (query = '', at = organization) => signet.as(at, 'GET', `/events${query}`)
const idsOf = (events: { event_metadata: { event_id: string } }[]) =>
  events.map((event) => event.event_metadata.event_id)
const raw = (path: string, accept: string, at = organization) =>
  fetch(`${signet.baseUrl}${path}`, {
    headers: { 'Service-OrgID': at.id, 'Service-API-Key': at.apiKey, accept },
  })

describe('GET /events', () => {
  test('Pages give every event once, in the order of publishing, and the last cursor goes on with what comes later', async () => {
    const own = await signet.organization()
    const empty = await read('', own)
    expect(empty.body).toEqual({ result: [], meta: { next: expect.any(String), has_more: false } })
    const published = (await publish(Array(7).fill('PersonCreated_v1'), own)).body.result
    const got: string[] = []
    let { next } = empty.body.meta
    for (let more = true; more; ) {
      const { body } = await read(`?limit=3&after=${next}`, own)
      got.push(...idsOf(body.result))
      next = body.meta.next
      more = body.meta.has_more
    }
    expect(got).toEqual(published.map((event: { event_id: string }) => event.event_id))
    expect((await read(`?after=${next}`, own)).body).toEqual({ result: [], meta: { next, has_more: false } })
    const later = (await publish(['PersonDeleted_v1'], own)).body.result
    expect(idsOf((await read(`?after=${next}`, own)).body.result)).toEqual([later[0].event_id])
  })

  test('An organization reads its own events and no others, by page and by id', async () => {
    const other = await signet.organization()
    const [{ event_id }] = (await publish(['PersonCreated_v1'])).body.result
    const { next } = (await read()).body.meta
    expect((await read('', other)).body.result).toEqual([])
    expect((await read(`?after=${next}`, other)).body.result).toEqual([])
    expect((await signet.as(other, 'GET', `/events/${event_id}`)).status).toBe(404)
    expect((await signet.as(organization, 'GET', '/events/nonsense')).status).toBe(404)
    const { body } = await signet.as(organization, 'GET', `/events/${event_id}`)
    expect(body.result.event_metadata).toMatchObject({ event_id, organization_id: organization.id, event_version: 1 })
  })

  test('event_name chooses events, repeated and with * at its end, and what fits no event is refused', async () => {
    const own = await signet.organization()
    await publish(['PersonCreated_v1', 'VirtualPageLoaded_v1', 'PersonDeleted_v1', 'AuthenticationFailed_v1'], own)
    const names = async (query: string) =>
      (await read(query, own)).body.result.map(
        (event: { event_metadata: { event_name: string } }) => event.event_metadata.event_name,
      )
    expect(await names('?event_name=Person*')).toEqual(['PersonCreated_v1', 'PersonDeleted_v1'])
    expect(await names('?event_name=PersonDeleted_v1&event_name=Auth*')).toEqual([
      'PersonDeleted_v1',
      'AuthenticationFailed_v1',
    ])
    expect(await names('?event_name=*')).toHaveLength(4)
    for (const wrong of ['Nobody*', 'PersonCreated', '', '*_v1']) {
      const { status, body } = await read(`?event_name=${wrong}`, own)
      expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('event_name: ')])
    }
  })

  test('since begins with the first event that was published then or later, in every media type, and a time to come with the next one', async () => {
    const own = await signet.organization()
    const before = (await publish(['PersonCreated_v1'], own)).body.result
    const [event] = (await publish(['PersonDeleted_v1'], own)).body.result
    const ofTime = (time: string) => read(`?since=${encodeURIComponent(time)}`, own)
    expect(idsOf((await ofTime(event.timestamp)).body.result)).toEqual([event.event_id])
    expect(idsOf((await ofTime('2020-01-31T09:00:00+01:00')).body.result)).toEqual([before[0].event_id, event.event_id])
    const protobuf = await raw(`/events?since=${event.timestamp}`, 'application/x-protobuf', own)
    const bytes = Buffer.from(await protobuf.arrayBuffer())
    const { size, offset } = sizeDelimitedPeek(bytes)
    expect(bytes).toHaveLength(Number(size) + Number(offset))
    expect(bytes.toString('latin1')).toContain(event.event_id)
    const { result, meta } = (await ofTime('9999-12-31T00:00:00Z')).body
    expect([result, meta]).toEqual([[], { next: protobuf.headers.get('service-feed-next'), has_more: false }])
    const [later] = (await publish(['PersonCreated_v1'], own)).body.result
    expect(idsOf((await read(`?after=${meta.next}`, own)).body.result)).toEqual([later.event_id])
  })

  test('A wrong cursor, limit or field is refused by name', async () => {
    for (const [query, field] of [
      ['?after=x', 'after'],
      ['?limit=1001', 'limit'],
      ['?limit=0', 'limit'],
      ['?offset=1', 'offset'],
      ['?since=yesterday', 'since: must be a time'],
      ['?since=2026-01-31T08:00:00Z&after=x', 'since: must not be given together with after'],
    ]) {
      const { status, body } = await read(query)
      expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining(`${field}`)])
    }
    const { body } = await signet.as(organization, 'GET', '/organizations/webhooks')
    expect(body.errors).toBeUndefined()
  })

  test('A cursor of another installation is a 410', async () => {
    const cursor = Buffer.from('events 0199a3f2-5c00-4000-8000-0242ac120002.4294967297').toString('base64url')
    const { status, body } = await read(`?after=${cursor}`)
    expect([status, body.errors[0].message]).toEqual([
      410,
      expect.stringMatching(/^after: .*the oldest cursor is [\w-]+$/),
    ])
  })
})

describe('Media types', () => {
  test('As protobuf each message follows its length, and its template tells which it is', async () => {
    const own = await signet.organization()
    const published = (await publish(['PersonCreated_v1', 'PersonDeleted_v1', 'PersonCreated_v1'], own)).body.result
    const response = await raw('/events?limit=2', 'application/x-protobuf', own)
    expect(response.headers.get('content-type')).toBe('application/x-protobuf')
    expect(response.headers.get('service-feed-has-more')).toBe('true')
    const rest = await raw(`/events?after=${response.headers.get('service-feed-next')}`, 'application/x-protobuf', own)
    expect(rest.headers.get('service-feed-has-more')).toBe('false')
    const messages = [...split(await response.bytes()), ...split(await rest.bytes())]
    const told = messages.map((message) => fromBinary(EventTemplateSchema, message).eventMetadata)
    expect(told.map((metadata) => metadata?.eventId)).toEqual(
      published.map((event: { event_id: string }) => event.event_id),
    )
    expect(told.map((metadata) => metadata?.eventName)).toEqual([
      'PersonCreated_v1',
      'PersonDeleted_v1',
      'PersonCreated_v1',
    ])
    const one = await raw(`/events/${published[0].event_id}`, 'application/x-protobuf', own)
    const person = fromBinary(PersonCreated_v1Schema, await one.bytes())
    expect([person.eventMetadata?.eventVersion, person.region]).toEqual([1n, 'local'])
  })

  test.each([
    ['*/*', 'application/json; charset=utf-8'],
    ['application/*;q=0.5', 'application/json; charset=utf-8'],
    ['text/html,application/x-protobuf;q=0.9,*/*;q=0.8', 'application/x-protobuf'],
    ['application/x-protobuf;q=0.1, application/json;q=0', 'application/x-protobuf'],
    ['APPLICATION/JSON', 'application/json; charset=utf-8'],
  ])('Accept: %s gives %s', async (accept, type) => {
    const response = await raw('/events', accept)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
  })

  test('Accept without a type of the feed is refused with 406', async () => {
    for (const accept of ['text/html', 'application/json;q=0', 'application/xml, application/*;q=0'])
      expect((await raw('/events', accept)).status).toBe(406)
  })

  const split = (bytes: Uint8Array): Uint8Array[] => {
    const { size, offset } = sizeDelimitedPeek(bytes)
    if (size === null || offset === null) return []
    return [bytes.subarray(offset, offset + size), ...split(bytes.subarray(offset + size))]
  }
})

test('/readyz says who holds the feed back, and stays ready', async () => {
  const holder = new pg.Client({ ...signet.database, application_name: 'a forgotten session' })
  await holder.connect()
  await holder.query(`begin; ${drawPosition}`)
  const ready = async () => (await signet.call('GET', '/readyz')).body
  await expect.poll(async () => (await ready()).notes?.[0], { timeout: 10_000 }).toContain('a forgotten session')
  expect((await ready()).status).toBe('ready')
  await holder.query('rollback')
  await holder.end()
  await expect.poll(async () => (await ready()).notes).toBeUndefined()
})
