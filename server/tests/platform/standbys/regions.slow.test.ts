import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../../../src/ground/database/database.ts'
import { readLags } from '../../../src/operator/installation/regions/index.ts'
import {
  beginWaiting,
  closeRegions,
  countOf,
  countPageEvents,
  createGroup,
  cutOff,
  delayReplay,
  eu,
  everywhere,
  fillShare,
  flushed,
  full,
  late,
  longSeconds,
  lookers,
  looks,
  maxOfShare,
  maxRequests,
  openRegions,
  openTransactions,
  organization,
  pageEvent,
  patience,
  primary,
  refusalOfStart,
  replication,
  signet,
  startIn,
  statementsOfRegions,
  statusesOf,
  steadyEveryMs,
  us,
  whoHas,
} from '../../support/own-regions.ts'
import type { Organization } from '../../support/signet.ts'

/** Standbys and services of its own: that takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 150_000 })
beforeAll(openRegions)
afterAll(closeRegions)

test('The list of regions says which stream, which are missing, and how far behind each is', async () => {
  const listed = async () => {
    const { body } = await signet.operate('GET', '/regions')
    return body.result as { name: string; state: string; replay_lag_bytes: number | null }[]
  }
  const primaryRegion = { name: 'local', is_local: true, state: 'primary', replay_lag_seconds: 0, replay_lag_bytes: 0 }
  const caughtUp = { is_local: false, state: 'streaming', replay_lag_seconds: 0, replay_lag_bytes: 0 }
  const all = [primaryRegion, { name: 'eu', ...caughtUp }, { name: 'us', ...caughtUp }]
  await expect.poll(listed, patience).toEqual(all)
  await eu.pause()
  expect(await createGroup('listed', everywhere(1))).toMatchObject(late)
  expect((await listed())[1]).toMatchObject({ state: 'streaming', replay_lag_bytes: expect.toSatisfy((n) => n > 0) })
  await eu.resume()
  await us.stop()
  const gone = { is_local: false, state: 'missing', replay_lag_seconds: null, replay_lag_bytes: null }
  await expect.poll(listed, patience).toEqual([primaryRegion, all[1], { name: 'us', ...gone }])
  await us.start()
  await expect.poll(listed, patience).toEqual(all)
})

test('For the metrics, the primary knows how far each standby is behind', async () => {
  const database = openDatabase(primary.connection)
  const lags = async () =>
    (await readLags(database.read)).toSorted((one, other) => one.standby.localeCompare(other.standby))
  const caughtUp = { seconds: 0, bytes: 0 }
  await expect.poll(lags, patience).toEqual(['eu', 'us'].map((standby) => ({ standby, ...caughtUp })))
  await database.close()
})

describe('A request for all_regions (4)', () => {
  // Proves 4/6.
  test('A request is answered when each region has its change, in one statement and in a transaction', async () => {
    for (let n = 0; n < 10; n++) {
      expect(await createGroup(`each-${n}`)).toMatchObject({ status: 201 })
      expect(await whoHas(`each-${n}`)).toEqual(['primary', 'eu', 'us'])
      const person = await signet.as(organization, 'POST', '/persons', { groups: [`each-${n}`] }, everywhere(60))
      expect(person).toMatchObject({ status: 201 })
      for (const server of [eu, us])
        expect(await server.query('select from persons where id = $1', person.body.result.person_id)).toHaveLength(1)
    }
  })

  // Proves 4/7.
  test('A request is 408 when a region has not replayed its change in time; the change is made, and reaches that region later', async () => {
    await eu.pause()
    expect(await createGroup('paused', everywhere(1))).toMatchObject(late)
    expect(await whoHas('paused')).toEqual(['primary', 'us'])
    await eu.resume()
    await expect.poll(() => whoHas('paused'), patience).toEqual(['primary', 'eu', 'us'])
  })

  test('A repetition of a call that was 408 waits for the regions again, and is answered as the first would have been', async () => {
    await eu.pause()
    const key = { 'Idempotency-Key': 'once' }
    expect(await createGroup('repeated', { ...everywhere(1), ...key })).toMatchObject(late)
    expect(await createGroup('repeated', { ...everywhere(1), ...key })).toMatchObject(late)
    const repeating = createGroup('repeated', { ...everywhere(60), ...key })
    await eu.resume()
    const repeated = await repeating
    expect(repeated).toMatchObject({ status: 201, body: { result: { name: 'repeated' } } })
    expect(repeated.headers.get('idempotent-replayed')).toBe('true')
    expect(await whoHas('repeated')).toEqual(['primary', 'eu', 'us'])
  })

  // Proves 4/7.
  test('A request waits as long as its timeout says, with no transaction and no connection of its own', async () => {
    const waiting = await beginWaiting('patient')
    await expect.poll(openTransactions, patience).toEqual([])
    expect(waiting.answer()).toBeUndefined()
    await eu.resume()
    expect(await waiting.answered).toMatchObject({ status: 201 })
    expect(await whoHas('patient')).toEqual(['primary', 'eu', 'us'])
  })

  // Proves 4/6.
  test('A request that changes nothing waits for what was committed before', async () => {
    await eu.pause()
    const local = { 'Service-Required-Consistency': 'local_region' }
    expect(await createGroup('unchanged', local)).toMatchObject({ status: 201 })
    expect(await createGroup('unchanged', everywhere(1))).toMatchObject(late)
    await eu.resume()
    expect(await createGroup('unchanged')).toMatchObject({ status: 201 })
    expect(await whoHas('unchanged')).toEqual(['primary', 'eu', 'us'])
  })

  test('A request that makes no transaction at all waits for what was committed before', async () => {
    const database = openDatabase(primary.connection)
    const before = await flushed()
    const { positions } = await database.withPositions(async () => {})
    await database.close()
    const after = await flushed()
    const isPresent = (lsn: number) => lsn >= before && lsn <= after
    expect(positions).toEqual([{ timeline: '00000001', lsn: expect.toSatisfy(isPresent) }])
  })

  test('A request that is refused is answered at once', async () => {
    await eu.pause()
    expect(await createGroup('-', everywhere(longSeconds))).toMatchObject({ status: 400 })
    await eu.resume()
  })

  test('A request is 408 while a region is stopped, and succeeds when the region is back', async () => {
    await us.stop()
    expect(await createGroup('stopped', everywhere(1))).toMatchObject(late)
    await us.start()
    expect(await createGroup('back')).toMatchObject({ status: 201 })
    expect(await whoHas('stopped')).toEqual(['primary', 'eu', 'us'])
  })

  // Proves 4/6.
  test('A request waits for a region that lags behind', async () => {
    await delayReplay(us, '1h')
    expect(await createGroup('lagging', everywhere(1))).toMatchObject(late)
    await delayReplay(us, '300ms')
    expect(await createGroup('lagging-less')).toMatchObject({ status: 201 })
    expect(await whoHas('lagging-less')).toEqual(['primary', 'eu', 'us'])
    await delayReplay(us, '0')
  })

  test('A request waits for both of two standbys that have the same name', async () => {
    const twin = await replication.addStandby('eu', 'eu_twin')
    await twin.pause()
    expect(await createGroup('twins', everywhere(1))).toMatchObject(late)
    expect(await whoHas('twins')).toEqual(['primary', 'eu', 'us'])
    await twin.resume()
    expect(await createGroup('twins-again')).toMatchObject({ status: 201 })
    await twin.stop()
    await primary.query(`select pg_drop_replication_slot('eu_twin')`)
  })

  // Proves 4/5.
  test('A request is 408 when a region is unknown, and answered at once where there is no other region', async (context) => {
    const [unknown, alone] = await Promise.all([startIn('local,eu,mars', context), startIn('local', context)])
    expect(await createGroup('mars', everywhere(1), unknown)).toMatchObject(late)
    await eu.pause()
    expect(await createGroup('alone', everywhere(longSeconds), alone)).toMatchObject({ status: 201 })
    await eu.resume()
  })
})

describe('Many requests that wait', () => {
  test('One connection looks every 20 ms for all that wait, all are answered, and other requests are not delayed', async () => {
    await eu.pause()
    const names = Array.from({ length: maxOfShare }, (_, n) => `many-${n}`)
    const answers = names.map((name) => createGroup(name, everywhere(longSeconds)))
    await expect.poll(() => countOf('many-%'), patience).toBe(names.length)

    const [from, first] = [performance.now(), await looks()]
    await expect.poll(looks, patience).toBeGreaterThan(first + 20)
    const last = await looks()
    const steady = (performance.now() - from) / (steadyEveryMs - 1)
    // The youngest may have begun to wait just now.
    expect(last - first).toBeLessThan(steady + 12)
    expect(await lookers()).toHaveLength(1)
    expect(await createGroup('meanwhile', {})).toMatchObject({ status: 201 })

    await eu.resume()
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([201]))
    expect(await countOf('many-%', eu)).toBe(names.length)
  })

  test('A request beyond the limit of its organization is refused with 503 and changes nothing, and another organization is not affected', async () => {
    const other = await signet.organization()
    await us.pause()
    const answers = fillShare('share', organization)
    await expect.poll(() => countOf('share-%'), patience).toBe(maxOfShare)
    expect(await createGroup('beyond-share')).toMatchObject(full)
    expect(await whoHas('beyond-share')).toEqual([])
    answers.push(createGroup('share-of-another', everywhere(longSeconds), signet, other))
    await expect.poll(() => countOf('share-of-another'), patience).toBe(1)
    await us.resume()
    expect(await statusesOf(answers)).toEqual([201])
    expect(await createGroup('room-again')).toMatchObject({ status: 201 })
  })

  test('Requests without a key share one such limit, whatever organization they name, and do not use up that of others', async () => {
    const named = [organization, await signet.organization()]
    const tell = ({ id }: Organization) =>
      signet.call('POST', '/sdk/events', { 'Service-OrgID': id, ...everywhere(longSeconds) }, pageEvent)
    await us.pause()
    const answers = named.flatMap((of) => Array.from({ length: maxOfShare / named.length }, () => tell(of)))
    await expect.poll(countPageEvents, patience).toBe(maxOfShare)
    for (const of of named) expect(await tell(of)).toMatchObject(full)
    expect(await countPageEvents()).toBe(maxOfShare)
    answers.push(createGroup('beside-strangers', everywhere(longSeconds)))
    await expect.poll(() => countOf('beside-strangers'), patience).toBe(1)
    await us.resume()
    expect(await statusesOf(answers)).toEqual([201, 202])
  })

  test('A request beyond the total limit is refused with 503, and changes nothing', async () => {
    const organizations = await Promise.all(
      Array.from({ length: maxRequests / maxOfShare }, () => signet.organization()),
    )
    await us.pause()
    const answers = organizations.flatMap((of, n) => fillShare(`full-${n}`, of))
    await expect.poll(() => countOf('full-%'), patience).toBe(maxRequests)
    expect(await createGroup('one-too-many')).toMatchObject(full)
    expect(await whoHas('one-too-many')).toEqual([])
    await us.resume()
    expect(await statusesOf(answers)).toEqual([201])
    expect(await createGroup('room-for-all')).toMatchObject({ status: 201 })
  })

  test('The database is not asked for local_region, nor when no request waits', async () => {
    await createGroup('settled')
    const before = await statementsOfRegions()
    // Three, and that of the list of regions, if that was asked for.
    expect(before.length).toBeGreaterThanOrEqual(3)
    for (let n = 0; n < 20; n++) expect(await createGroup(`local-${n}`, {})).toMatchObject({ status: 201 })
    expect(await statementsOfRegions()).toEqual(before)
  })
})

describe('A request that waits', () => {
  test('A request is given up when its client disconnects, and its change stays', async () => {
    const client = new AbortController()
    await eu.pause()
    const answered = fetch(`${signet.baseUrl}/groups`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...everywhere(longSeconds),
        'Service-OrgID': organization.id,
        'Service-API-Key': organization.apiKey,
      },
      body: JSON.stringify({ name: 'gone' }),
      signal: client.signal,
    }).catch((error) => error.name)
    await expect.poll(() => whoHas('gone'), patience).toEqual(['primary', 'us'])
    const first = await looks()
    await expect.poll(looks, patience).toBeGreaterThan(first)
    client.abort()
    expect(await answered).toBe('AbortError')
    await vi.waitFor(async () => {
      const before = await looks()
      await wait(10 * steadyEveryMs)
      expect(await looks()).toBe(before)
    }, patience)
    await eu.resume()
    await expect.poll(() => whoHas('gone'), patience).toEqual(['primary', 'eu', 'us'])
  })

  test('A request goes on waiting when the connection that looks breaks, and while the primary is unavailable', async () => {
    const waiting = await beginWaiting('broken')
    const [broken] = await lookers()
    await primary.query('select pg_terminate_backend($1)', broken)
    await expect.poll(lookers, patience).toEqual([expect.not.toSatisfy((pid) => pid === broken)])
    await primary.stop()
    await primary.start()
    await expect.poll(lookers, patience).toHaveLength(1)
    expect(waiting.answer()).toBeUndefined()
    await eu.resume()
    expect(await waiting.answered).toMatchObject({ status: 201 })
    expect(await whoHas('broken')).toEqual(['primary', 'eu', 'us'])
  })
})

describe('Refused starts', () => {
  const off =
    'database: synchronous_commit is off, for the server, the database or the role: acknowledged changes could be lost; set it to on'
  const refusals: [what: string, make: string, undo: string, line: string][] = [
    [
      'where synchronous_commit is off for the database',
      'alter database signet set synchronous_commit = off',
      'alter database signet reset synchronous_commit',
      off,
    ],
    [
      'where synchronous_commit is off for the role',
      'alter role app set synchronous_commit = off',
      'alter role app reset synchronous_commit',
      off,
    ],
    [
      'with regions, for a role without pg_monitor',
      'revoke pg_monitor from app',
      'grant pg_monitor to app',
      'SIGNET_REGIONS: the role app cannot see other regions; as a superuser: grant pg_monitor to app',
    ],
  ]

  test.for(refusals)('A start is refused in one line %s', async ([, make, undo, line], context) => {
    await primary.query(make)
    const refusal = await refusalOfStart(context)
    await primary.query(undo)
    expect(refusal).toBe(`${line}\n`)
  })

  test('A start is refused in one line where synchronous_commit is off for the server', async (context) => {
    await primary.stop()
    await primary.start({ synchronous_commit: 'off' })
    const refusal = await refusalOfStart(context)
    await primary.stop()
    await primary.start()
    expect(refusal).toBe(`${off}\n`)
  })
})

/** The last one: nothing is as it was. */
describe('The promotion of a standby', () => {
  // Proves 4/7.
  test('A request that waits is 408, its change stays, and all_regions works with the new primary', async (context) => {
    const other = await startIn('local,eu', context)
    const waiting = await beginWaiting('promoted', other)
    await us.query(`select pg_create_physical_replication_slot('eu', true)`)
    replication.lead(us)
    await cutOff()
    await us.query('select pg_promote()')

    // The connection that looks is still one to the old primary, which knows of nothing.
    const answered = createGroup('new-primary', everywhere(60), other)
    expect(await waiting.answered).toMatchObject(late)
    expect(await countOf('promoted', us)).toBe(1)
    await eu.resume()
    expect(await answered).toMatchObject({ status: 201 })
    expect(await countOf('new-primary', eu)).toBe(1)
  })
})
