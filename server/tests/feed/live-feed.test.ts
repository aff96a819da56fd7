import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openStream, type StreamClient } from '../support/event-stream.ts'
import { addOldEvents, dropOldDay } from '../support/old-day.ts'
import {
  type Client,
  type Organization,
  type OwnSignet,
  type Signet,
  startOwnSignet,
  startSignet,
} from '../support/signet.ts'

let signet: OwnSignet
/** On the same database. */
let second: Signet
const clients: StreamClient[] = []

beforeAll(async () => {
  const env = { SIGNET_RATE_TEST_EVENTS: '100000/100000' }
  signet = await startOwnSignet({ env })
  second = await startSignet({ databaseUrl: signet.database.url, env: { ...env, SIGNET_BASE_URL: signet.baseUrl } })
})

afterAll(async () => {
  for (const client of clients) client.cut()
  await second?.stop()
  await signet?.stop()
})

const credentials = ({ id, apiKey }: Organization) => ({ 'service-orgid': id, 'service-api-key': apiKey })

async function follow(organization: Organization, { at = signet as Client, query = '', after = '' } = {}) {
  const headers = { ...credentials(organization), ...(after && { 'last-event-id': after }) }
  const client = await openStream(`${at.baseUrl}/events${query}`, { headers })
  clients.push(client)
  return client
}

/** Gives the ids of the events. */
async function publish(organization: Organization, names: string[], at: Client = signet): Promise<string[]> {
  const { body } = await at.as(
    organization,
    'POST',
    '/test-events',
    names.map((event_name) => ({ event_name })),
  )
  return body.result.map(({ event_id }: { event_id: string }) => event_id)
}

const idsOf = (client: StreamClient) => client.messages().map(({ data }) => JSON.parse(data).event_metadata.event_id)

describe.concurrent('The live feed', () => {
  test('The live feed gives what is there and then what comes, published by any process, as the pages do', async () => {
    const organization = await signet.organization()
    const published = await publish(organization, ['PersonCreated', 'PersonDeleted'])
    const client = await follow(organization)
    await client.waitFor(2)
    published.push(...(await publish(organization, ['VirtualPageLoaded'])))
    await client.waitFor(3)
    const before = performance.now()
    for (let count = 4; count <= 8; count++) {
      published.push(...(await publish(organization, ['PersonCreated'], second)))
      await client.waitFor(count)
    }
    // Without announcements there would be three seconds between each two of them.
    expect(performance.now() - before).toBeLessThan(10_000)
    expect(idsOf(client)).toEqual(published)
    const { body } = await signet.as(organization, 'GET', '/events')
    expect(client.messages().map(({ data }) => JSON.parse(data))).toEqual(body.result)
    expect(client.messages().map(({ event }) => event)).toEqual(
      body.result.map((event: { event_metadata: { event_name: string } }) => event.event_metadata.event_name),
    )
    expect(client.lastId()).toBe(body.meta.next)
  })

  test('The live feed of an organization that has no event says where to resume', async () => {
    const organization = await signet.organization()
    const client = await follow(organization)
    await vi.waitUntil(() => client.lastId() !== '', { timeout: 20_000, interval: 5 })
    client.cut()
    const published = await publish(organization, ['PersonCreated'])
    const resumed = await follow(organization, { after: client.lastId() })
    await resumed.waitFor(1)
    expect(idsOf(resumed)).toEqual(published)
  })

  test('The live feed begins behind Last-Event-ID, which goes before after', async () => {
    const organization = await signet.organization()
    const published = await publish(organization, ['PersonCreated', 'PersonCreated', 'PersonCreated'])
    const [first, middle] = await (await follow(organization)).waitFor(3)
    const fromQuery = await follow(organization, { query: `?after=${first?.id}` })
    await fromQuery.waitFor(2)
    expect(idsOf(fromQuery)).toEqual(published.slice(1))
    const fromHeader = await follow(organization, { query: `?after=${first?.id}`, after: middle?.id })
    await fromHeader.waitFor(1)
    expect(idsOf(fromHeader)).toEqual(published.slice(2))
  })

  test('The live feed begins with the first event since a time, and behind Last-Event-ID where it comes again', async () => {
    const organization = await signet.organization()
    await publish(organization, ['PersonCreated'])
    const published = await publish(organization, ['PersonDeleted', 'PersonCreated'])
    const { body } = await signet.as(organization, 'GET', `/events/${published[0]}`)
    const query = `?since=${body.result.event_metadata.timestamp}`
    const client = await follow(organization, { query })
    const [first] = await client.waitFor(2)
    expect(idsOf(client)).toEqual(published)
    const again = await follow(organization, { query, after: first?.id })
    await again.waitFor(1)
    expect(idsOf(again)).toEqual(published.slice(1))
  })

  test('The live feed since a time without an event says where to resume', async () => {
    const organization = await signet.organization()
    await publish(organization, ['PersonCreated'])
    const client = await follow(organization, { query: '?since=9999-12-31T00:00:00Z' })
    await expect.poll(client.lastId).not.toBe('')
    client.cut()
    const published = await publish(organization, ['PersonDeleted'])
    const resumed = await follow(organization, { after: client.lastId() })
    await resumed.waitFor(1)
    expect(idsOf(resumed)).toEqual(published)
  })

  test('The live feed gives only events of the wanted names, and none of another organization', async () => {
    const [organization, other] = [await signet.organization(), await signet.organization()]
    const client = await follow(organization, { query: '?event_name=PersonDel*&event_name=VirtualPageLoaded_v1' })
    await publish(other, ['PersonDeleted', 'VirtualPageLoaded'])
    const [, deleted, , page] = await publish(organization, [
      ...['PersonCreated', 'PersonDeleted', 'PersonCreated', 'VirtualPageLoaded'],
    ])
    await client.waitFor(2)
    expect(idsOf(client)).toEqual([deleted, page])
  })

  test.each<[{ query?: string; after?: string }, number, string]>([
    [{ query: '?after=nonsense' }, 400, 'after: must be a cursor of events'],
    [{ after: 'nonsense' }, 400, 'Last-Event-ID: must be a cursor of events'],
    [{ query: '?event_name=Nothing' }, 400, 'event_name: no event has the name "Nothing"'],
  ])('The live feed refuses %j before it begins', async ({ query = '', after }, status, message) => {
    const headers = { accept: 'text/event-stream', ...(after && { 'last-event-id': after }) }
    const answer = await signet.as(await signet.organization(), 'GET', `/events${query}`, undefined, headers)
    expect([answer.status, answer.body.errors[0].message]).toEqual([status, expect.stringContaining(message)])
  })

  test('The live feed ends with a 410 for what retention drops before it is read, and is refused with it afterwards', async () => {
    const organization = await signet.organization()
    await addOldEvents(signet.database, organization.id, { count: 150, bytes: 300_000 })
    const [kept] = await publish(organization, ['PersonCreated'])
    const first = (await signet.as(organization, 'GET', '/events?limit=1')).body.meta.next
    const slow = await follow(organization)
    slow.pause()
    await dropOldDay(signet.database)
    slow.resume()
    await vi.waitUntil(slow.isOver, { timeout: 20_000 })
    // What it had been given by then, which is a page of it and what the sockets hold.
    const messages = slow.messages()
    expect(messages.length).toBeLessThan(100)
    const [problem] = JSON.parse(messages.at(-1)?.data ?? '').errors
    expect(messages.map(({ event }) => event)).toEqual([
      ...Array(messages.length - 1).fill('PersonCreated_v1'),
      'error',
    ])
    const [, oldest = ''] =
      /is older than the events that are kept; the oldest cursor is (.*)$/.exec(problem.message) ?? []
    expect(problem.httpcode).toBe(410)
    const resumed = await follow(organization, { after: oldest })
    await resumed.waitFor(1)
    expect(idsOf(resumed)).toEqual([kept])
    const foreign = Buffer.from(`events 0199a3f2-5c00-4000-8000-0242ac120002.1`).toString('base64url')
    for (const [after, reason] of [
      [first, 'is older than the events'],
      [foreign, 'comes from another database'],
    ]) {
      for (const at of [signet, second]) {
        const headers = { accept: 'text/event-stream', 'last-event-id': after }
        const { status, body } = await at.as(organization, 'GET', '/events', undefined, headers)
        expect([status, body.errors[0].message]).toEqual([410, expect.stringContaining(`Last-Event-ID: ${reason}`)])
        expect(body.errors[0].message).toContain(`the oldest cursor is ${oldest}`)
      }
    }
  })

  test('The live feed is given neither without a key nor to a key of another scope', async () => {
    const organization = await signet.organization()
    const { body } = await signet.as(organization, 'POST', '/organizations/api-keys', { scopes: ['groups:read'] })
    const narrow = await follow({ id: organization.id, apiKey: body.result.api_key })
    expect([narrow.status, (await follow({ id: organization.id, apiKey: 'none' })).status]).toEqual([403, 401])
  })

  test('Readers that are cut and resume at random lose nothing, and get nothing twice or out of order', async () => {
    const organization = await signet.organization()
    const read = await readAndWrite(organization, { readers: 6, writers: 4, events: 600 })
    const inOrder = await allIds(organization)
    expect(inOrder).toHaveLength(600)
    for (const ids of read) expect(ids).toEqual(inOrder)
  })
})

/** Readers of both processes that are cut after some messages, while writers publish through both. */
function readAndWrite(
  organization: Organization,
  { readers, writers, events }: Record<'readers' | 'writers' | 'events', number>,
) {
  const processes = [signet, second]
  const lists = Array.from({ length: readers }, () => [] as string[])
  const readOne = async (ids: string[], index: number) => {
    let after = ''
    for (let round = index; ids.length < events; round++) {
      const client = await follow(organization, { at: processes[round % 2] as Client, after })
      const most = 1 + Math.floor(Math.random() * 40)
      await client.waitFor(Math.min(most, events - ids.length))
      client.cut()
      ids.push(...idsOf(client))
      after = client.lastId()
    }
    return ids
  }
  const writeOne = async (_: unknown, index: number) => {
    for (let left = events / writers; left > 0; ) {
      const count = Math.min(left, 1 + Math.floor(Math.random() * 12))
      await publish(organization, Array(count).fill('PersonCreated'), processes[index % 2])
      left -= count
    }
  }
  const reading = Promise.all(lists.map(readOne))
  return Promise.all([reading, ...Array.from({ length: writers }, writeOne)]).then(([read]) => read)
}

async function allIds(organization: Organization): Promise<string[]> {
  const ids: string[] = []
  for (let path = '/events?limit=1000'; ; ) {
    const { body } = await signet.as(organization, 'GET', path)
    ids.push(...body.result.map((event: { event_metadata: { event_id: string } }) => event.event_metadata.event_id))
    if (!body.meta.has_more) return ids
    path = `/events?limit=1000&after=${body.meta.next}`
  }
}
