import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { dayMs as day, toDay, toTimestamp } from '../../src/ground/runtime/clock.ts'
import { firstIdAt, makeId } from '../../src/ground/runtime/identifiers.ts'
import { testDatabase } from '../support/database.ts'
import { writeLog } from '../support/log.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'
import { prepareWakeUp } from '../support/wake-worker.ts'
import { addWebhook } from '../support/webhooks.ts'

const minute = 60_000

let receiver: Receiver
let database: Awaited<ReturnType<typeof testDatabase>>
let service: Service
let organization: Organization
let wakeWorker: Awaited<ReturnType<typeof prepareWakeUp>>
let inside: Database
let path: string
let webhookId: string
let resource: string

/** Of today. */
const noon = Math.floor(Date.now() / day) * day + day / 2
/** Stands still, and moves when a test moves it. */
const clock = { now: () => now }
let now: number

beforeAll(async () => {
  now = noon
  receiver = await startReceiver()
  database = await testDatabase()
  const env = { SIGNET_RETENTION: '240h' }
  service = await startService({ connection: database, receiver, clock, keyring: makeKeyring(), env })
  wakeWorker = await prepareWakeUp(service, receiver)
  inside = openDatabase(database, 1)
})

afterAll(async () => {
  await Promise.all([service?.stop(), receiver?.stop(), inside?.close()])
  await database?.drop()
})

beforeEach(async () => {
  now = noon
  organization = await service.organization()
  path = `/${organization.id}/hook`
  webhookId = await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'])
  resource = `/organizations/webhooks/${webhookId}`
})

const ask = (method: string, at = '', body?: unknown) => service.as(organization, method, resource + at, body)
const enable = (enabled: boolean) => ask('PATCH', '', { enabled })
const webhook = async () => (await ask('GET')).body.result
const get = async (id: string) => (await ask('GET', `/deliveries/${id}`)).body.result
const held = async () => (await ask('GET', '/deliveries?status=held&limit=1000')).body.result
const untilStatus = (id: string, status: string) => expect.poll(async () => (await get(id)).status).toBe(status)

async function publish(): Promise<string> {
  const { body } = await service.as(organization, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  return body.result[0].event_id
}

/** Minutes from `start` on of the calls with this `sub`. */
const minutesOf = (id: string, start: number) =>
  receiver
    .received(path)
    .map(({ body }) => decodeJwt(body))
    .filter(({ sub }) => sub === id)
    .map(({ iat }) => ((iat ?? 0) * 1000 - start) / minute)

/** What follows an attempt is written by then, at the time that the clock shows. */
const untilAttempted = (id: string, times: number) =>
  expect.poll(async () => (await get(id)).attempts).toHaveLength(times)

/** Moves the clock through a whole window of one delivery, which began at `start`. */
async function followWindow(id: string, start: number, earlier: number) {
  for (const [index, after] of [1, 3, 7, 15, 25].entries()) {
    await untilAttempted(id, earlier + index + 1)
    now = start + after * minute
    await wakeWorker()
  }
  await untilStatus(id, 'dropped')
  return minutesOf(id, start).slice(earlier)
}

describe('A receiver that fails for five days', () => {
  const failFor = async (ms: number) => {
    receiver.behave(path, { status: 500 })
    const first = await publish()
    await untilAttempted(first, 1)
    now += ms
    await wakeWorker()
    await untilAttempted(first, 2)
  }

  test('A webhook that fails for five days is paused with the reason failing, and its deliveries are held', async () => {
    await failFor(5 * day + 1)
    expect(await webhook()).toMatchObject({ enabled: false, paused_reason: 'failing' })
    const count = receiver.received(path).length
    const waiting = await publish()
    await wakeWorker()
    expect(await get(waiting)).toMatchObject({ status: 'held', attempts_count: 0 })
    expect(receiver.received(path)).toHaveLength(count)
    expect((await enable(false)).body.result).toMatchObject({ enabled: false, paused_reason: 'failing' })
  })

  test('A webhook is not paused before it has failed for five days', async () => {
    await failFor(5 * day)
    expect(await webhook()).toMatchObject({ enabled: true, failing_since: new Date(now - 5 * day).toISOString() })
  })

  test('A webhook that is resumed gets what was held, and its five days begin anew', async () => {
    await failFor(5 * day + 1)
    const waiting = await publish()
    expect((await enable(true)).body.result).not.toHaveProperty('failing_since')
    await untilAttempted(waiting, 1)
    expect(await webhook()).toMatchObject({ enabled: true })
    receiver.behave(path, { status: 200 })
    now += minute
    await wakeWorker()
    await untilStatus(waiting, 'succeeded')
  })
})

describe('Resuming', () => {
  test('Resuming makes retries due at once, each with a new window', async () => {
    receiver.behave(path, { status: 500 })
    const id = await publish()
    await untilAttempted(id, 1)
    await enable(false)
    now += 40 * minute
    await wakeWorker()
    expect(await get(id)).toMatchObject({ status: 'held', attempts_count: 1 })
    await enable(true)
    expect(await followWindow(id, now, 1)).toEqual([0, 1, 3, 7, 15, 25])
    expect(await get(id)).toMatchObject({ attempts_count: 7 })
  })
})

describe('Redelivery', () => {
  const dropped = async () => {
    receiver.behave(path, { status: 500 })
    const id = await publish()
    await followWindow(id, now, 0)
    return id
  }

  // Proves 6.2, rule 4/3.
  test('A redelivery has a whole window of its own', async () => {
    const id = await dropped()
    now += minute
    expect((await ask('POST', `/deliveries/${id}/redeliver`)).status).toBe(202)
    expect(await followWindow(id, now, 6)).toEqual([0, 1, 3, 7, 15, 25])
    expect(await get(id)).toMatchObject({ attempts_count: 12 })
    expect((await get(id)).attempts.map(({ number }: { number: number }) => number)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
    ])
  })

  test('A redelivery is possible as long as its event is kept, and no longer', async () => {
    await enable(false)
    const created = now
    const [old, young] = [firstIdAt(created - 1), firstIdAt(created)]
    await finish([old, young])
    now = created + 10 * day
    expect(await ask('POST', `/deliveries/${old}/redeliver`)).toMatchObject(
      refused(409, 'delivery: its event must be at most 240h0m0s old, for so long events are kept'),
    )
    expect((await ask('POST', `/deliveries/${young}/redeliver`)).status).toBe(202)
    expect(await held()).toMatchObject([{ id: young }])
  })

  test('A redelivery for a span of time opens what is kept, and nothing older', async () => {
    await enable(false)
    const created = now
    const [old, young] = [firstIdAt(created - 1), firstIdAt(created)]
    await finish([old, young])
    now = created + 10 * day
    expect((await ask('POST', '/redeliver', { since: toTimestamp(created - day) })).status).toBe(202)
    expect(await held()).toMatchObject([{ id: young }])
    expect(await get(old)).toMatchObject({ status: 'succeeded' })
  })

  test('A redelivery takes the newest hundred attempts along', async () => {
    await enable(false)
    const id = makeId(now)
    await finish([id])
    await inside.write.rows(sql`update finished_deliveries set attempts_count = 150, attempt_log =
      (select jsonb_agg(jsonb_build_object('number', i, 'jti', ${id}::uuid, 'started_at', now(), 'duration_ms', 1) order by i)
         from generate_series(1, 150) i) where event_id = ${id}`)
    expect((await ask('POST', `/deliveries/${id}/redeliver`)).status).toBe(202)
    const { attempts, attempts_count } = await get(id)
    expect(attempts_count).toBe(150)
    expect(attempts.map(({ number }: { number: number }) => number)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 51),
    )
  })
})

const finish = (ids: string[], as?: { status?: string; triggerType?: string; triggerName?: string }) =>
  writeLog(inside.write, { organizationId: organization.id, webhookId }, ids, as)

/** Ids of so many events, a millisecond between each two of them. */
const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => makeId(first + index))

describe('A long log', () => {
  test('A log is reopened ten thousand at a time: with more nothing is done, and the message says until when', async () => {
    await enable(false)
    const start = now - minute
    const ids = idsFrom(start, 10_005)
    await finish(ids, { status: 'dropped' })
    const since = new Date(start).toISOString()
    const until = new Date(start + 10_000).toISOString()
    for (const status of [undefined, 'dropped']) {
      expect(await ask('POST', '/redeliver', { since, status })).toMatchObject(
        refused(400, `until: must be at most ${until}, for before it are the first 10000 deliveries of the span`),
      )
      expect(await held()).toEqual([])
    }
    expect((await ask('POST', '/redeliver', { since, until })).status).toBe(202)
    expect((await ask('GET', '/deliveries?status=dropped')).body.result.map(({ id }: { id: string }) => id)).toEqual(
      ids.slice(10_000).toReversed(),
    )
    expect((await ask('POST', '/redeliver', { since })).status).toBe(202)
    expect((await ask('GET', '/deliveries?status=dropped')).body.result).toEqual([])
  })

  test('A log is reopened without its hook runs, of which there may be any number', async () => {
    await enable(false)
    const start = now - minute
    const event = makeId(start)
    await finish([event], { status: 'dropped' })
    await finish(idsFrom(start, 10_001), { status: 'dropped', triggerType: 'sync_hook', triggerName: 'token_minted' })
    const since = new Date(start).toISOString()
    for (const status of ['dropped', undefined]) {
      expect((await ask('POST', '/redeliver', { since, status })).status).toBe(202)
      expect(await held()).toMatchObject([{ id: event }])
    }
  })

  test('A log is searched ten thousand at a time: a page may be empty and say where to go on', async () => {
    const ids = idsFrom(now - minute, 15_000)
    const rare = makeId(now - 2 * minute)
    await finish([rare], { triggerName: 'PersonDeleted_v1' })
    await finish(ids)
    const first = (await ask('GET', '/deliveries?trigger_name=PersonDeleted_v1')).body
    expect(first).toEqual({ result: [], meta: { next: expect.any(String), has_more: true } })
    const second = (await ask('GET', `/deliveries?trigger_name=PersonDeleted_v1&after=${first.meta.next}`)).body
    expect(second).toMatchObject({ result: [{ id: rare }] })
    expect(second.meta).toEqual({})
  })

  test('A list of failures shows at once the few that did not succeed in a long log', async () => {
    const rare = [makeId(now - 2 * minute), makeId(now - 2 * minute)]
    await finish(rare, { status: 'cancelled' })
    await finish(idsFrom(now - minute, 15_000))
    const { body } = await ask('GET', '/deliveries?status=cancelled')
    expect(body.result.map(({ id }: { id: string }) => id)).toEqual(rare.toReversed())
    expect(body.meta).toEqual({})
  })
})

describe('The counts of a webhook', () => {
  test('The counts of a webhook are by day in UTC, the newest first, of as many days as asked for', async () => {
    const start = now
    const expected: object[] = []
    for (const [later, count] of [
      [0, 2],
      [1, 1],
      [3, 3],
    ] as const) {
      now = start + later * day
      for (let left = count; left > 0; left--) await untilStatus(await publish(), 'succeeded')
      expected.unshift({ day: toDay(now), succeeded: count, dropped: 0, cancelled: 0 })
    }
    const counts = async (days: string) => (await ask('GET', `/delivery-counts${days}`)).body.result
    expect(await counts('')).toEqual(expected)
    expect(await counts('?days=4')).toEqual(expected)
    expect(await counts('?days=3')).toEqual(expected.slice(0, 2))
    expect(await counts('?days=1')).toEqual(expected.slice(0, 1))
  })

  test('The counts of a webhook count a redelivery again', async () => {
    const id = await publish()
    await untilStatus(id, 'succeeded')
    await ask('POST', `/deliveries/${id}/redeliver`)
    await untilStatus(id, 'succeeded')
    expect((await ask('GET', '/delivery-counts')).body.result).toMatchObject([{ succeeded: 2 }])
  })
})
