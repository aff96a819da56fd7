import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../../../src/ground/database/database.ts'
import { makeMasterKey } from '../../../src/ground/keys/index.ts'
import { readLags } from '../../../src/operator/installation/regions/index.ts'
import { givenPrograms } from '../../support/given-programs.ts'
import { type Life, run, temporaryFolder } from '../../support/program.ts'
import { refused } from '../../support/refused.ts'
import { type Answer, type Headings, type Organization, type Signet, startSignet } from '../../support/signet.ts'
import {
  addRole,
  databaseUrlOf,
  type Replication,
  type Server,
  type Standby,
  startReplication,
} from '../../support/standbys.ts'

/** Standbys and services of its own: that takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 150_000 })

const patience = { timeout: 30_000, interval: 20 }
/** The named limits of `regions/`. */
const steadyEveryMs = 20
const maxRequests = 1_000
const maxOfShare = 250
/** Longer than any test. */
const longSeconds = 120
const settings = {
  ...{ fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB', max_connections: '100' },
  shared_preload_libraries: 'pg_stat_statements',
}

let replication: Replication
let primary: Server
let eu: Standby
let us: Standby
/** Its other regions are eu and us. */
let signet: Signet
let organization: Organization
const cleanings: (() => unknown)[] = []
const wholeFile: Life = { onTestFinished: (clean) => void cleanings.unshift(clean) }

beforeAll(async () => {
  replication = await startReplication(temporaryFolder(wholeFile), settings, givenPrograms())
  wholeFile.onTestFinished(replication.stop)
  primary = replication.primary
  await primary.query('create extension pg_stat_statements')
  await addRole(primary)
  ;[eu, us, signet] = await Promise.all([
    replication.addStandby('eu'),
    replication.addStandby('us'),
    startIn('local,eu,us', wholeFile),
  ])
  organization = await signet.organization()
})

afterAll(async () => {
  for (const clean of cleanings) await clean()
})

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

  test('A request is 408 when a region has not replayed its change in time; the change is made, and reaches that region later', async () => {
    await eu.pause()
    expect(await createGroup('paused', everywhere(1))).toMatchObject(late)
    expect(await whoHas('paused')).toEqual(['primary', 'us'])
    await eu.resume()
    await expect.poll(() => whoHas('paused'), patience).toEqual(['primary', 'eu', 'us'])
  })

  test('A request waits as long as its timeout says, with no transaction and no connection of its own', async () => {
    const waiting = await beginWaiting('patient')
    await expect.poll(openTransactions, patience).toEqual([])
    expect(waiting.answer()).toBeUndefined()
    await eu.resume()
    expect(await waiting.answered).toMatchObject({ status: 201 })
    expect(await whoHas('patient')).toEqual(['primary', 'eu', 'us'])
  })

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
        ...{ 'content-type': 'application/json', ...everywhere(longSeconds) },
        ...{ 'Service-OrgID': organization.id, 'Service-API-Key': organization.apiKey },
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

/** Ends the primary's connections: all of Signet's but those that look, and that of eu. */
const cutOff = () =>
  primary.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where usename = 'app' and query not like '%left join pg_stat_replication%' or application_name = 'eu'`,
  )

const masterKey = makeMasterKey()
/** Of all on this database; nobody goes there. */
const baseUrl = 'http://localhost:8080'
const pageEvent = { event_name: 'VirtualPageLoaded_v1', window_location: 'https://app.test/' }
const full = refused(503, 'service: temporarily unavailable; try again')
const late = refused(408, 'Service-Required-Consistency-Timeout: not reached in time; the request may still be handled')

async function startIn(regions: string, life: Life): Promise<Signet> {
  const started = await startSignet({
    databaseUrl: databaseUrlOf(replication),
    masterKey,
    env: { SIGNET_REGIONS: regions, SIGNET_BASE_URL: baseUrl, SIGNET_RATE_PAGE_EVENTS: '100000/100000' },
  })
  life.onTestFinished(started.stop)
  return started
}

/** What it says before it ends with status 1. */
async function refusalOfStart(life: Life): Promise<string> {
  const program = run(life, [process.execPath, 'server/src/main.ts'], {
    ...{ DATABASE_URL: databaseUrlOf(replication), SIGNET_REGIONS: 'local,eu', SIGNET_MASTER_KEY: masterKey },
    ...{ SIGNET_BASE_URL: baseUrl, SIGNET_LOG_LEVEL: 'silent' },
  })
  expect(await program.ended).toBe(1)
  return program.output()
}

const everywhere = (seconds: number): Headings => ({
  'Service-Required-Consistency': 'all_regions',
  'Service-Required-Consistency-Timeout': `${seconds}`,
})

function createGroup(name: string, headers = everywhere(60), at = signet, of = organization): Promise<Answer> {
  return at.as(of, 'POST', '/groups', { name }, headers)
}

/** As many as an organization may have waiting at once. */
const fillShare = (name: string, of: Organization) =>
  Array.from({ length: maxOfShare }, (_, n) => createGroup(`${name}-${n}`, everywhere(longSeconds), signet, of))

/** Each once. */
const statusesOf = async (answers: Promise<Answer>[]) =>
  [...new Set((await Promise.all(answers)).map(({ status }) => status))].sort()

/** Only eu keeps the answer waiting: it is paused, and everybody else has the change. */
async function beginWaiting(name: string, at = signet) {
  await eu.pause()
  let answer: Answer | undefined
  const answered = createGroup(name, everywhere(longSeconds), at).then((reply) => (answer = reply))
  await expect.poll(() => whoHas(name), patience).toEqual(['primary', 'us'])
  const first = await looks()
  await expect.poll(looks, patience).toBeGreaterThan(first)
  return { answered, answer: () => answer }
}

const countOf = async (pattern: string, server = primary): Promise<number> =>
  (await server.query('select from groups where name like $1', pattern)).length

const countPageEvents = async (): Promise<number> =>
  (await primary.query('select from events where name = $1', pageEvent.event_name)).length

async function whoHas(name: string): Promise<string[]> {
  const servers = { primary, eu, us }
  const found = await Promise.all(
    Object.entries(servers).map(async ([title, server]) => ((await countOf(name, server)) > 0 ? [title] : [])),
  )
  return found.flat()
}

/** Bytes of the log. */
async function flushed(): Promise<number> {
  const [row] = await primary.query(`select pg_current_wal_flush_lsn() - '0/0' as lsn`)
  return Number(row?.lsn)
}

async function delayReplay(standby: Standby, delay: string) {
  await standby.query(`alter system set recovery_min_apply_delay = '${delay}'`)
  await standby.query('select pg_reload_conf()')
}

/** How often regions were looked at so far. */
async function looks(): Promise<number> {
  const [row] = await primary.query<{ calls: number }>(
    `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements where query like '%left join pg_stat_replication%'`,
  )
  return row?.calls ?? Number.NaN
}

/** All that is asked for `all_regions`, with how often. */
const statementsOfRegions = () =>
  primary.query(
    `select query, calls::int from pg_stat_statements where userid = 'app'::regrole and query like any ($1) order by query`,
    ['%left join pg_stat_replication%', '%pg_current_wal_flush_lsn%', '%where current_setting($_) = %'],
  )

/** Processes of PostgreSQL that look at the regions for Signet. */
async function lookers(): Promise<number[]> {
  const rows = await primary.query<{ pid: number }>(
    `select pid from pg_stat_activity where usename = 'app' and query like '%left join pg_stat_replication%'`,
  )
  return rows.map(({ pid }) => pid)
}

const openTransactions = () =>
  primary.query(
    `select query from pg_stat_activity
      where usename = 'app' and state <> 'idle' and query not like '%left join pg_stat_replication%'`,
  )
