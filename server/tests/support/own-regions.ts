import { expect } from 'vitest'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { givenPrograms } from './given-programs.ts'
import { type Life, run, temporaryFolder } from './program.ts'
import { refused } from './refused.ts'
import { type Answer, type Headings, type Organization, type Signet, startSignet } from './signet.ts'
import { addRole, databaseUrlOf, type Replication, type Server, type Standby, startReplication } from './standbys.ts'

export const patience = { timeout: 30_000, interval: 20 }

/** The named limits of `regions/`. */
export const steadyEveryMs = 20
export const maxRequests = 1_000
export const maxOfShare = 250

/** Longer than any test. */
export const longSeconds = 120

const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: '100',
  shared_preload_libraries: 'pg_stat_statements',
}

export let replication: Replication
export let primary: Server
export let eu: Standby
export let us: Standby

/** Its other regions are eu and us. */
export let signet: Signet
export let organization: Organization
const cleanings: (() => unknown)[] = []
const wholeFile: Life = { onTestFinished: (clean) => void cleanings.unshift(clean) }

export async function openRegions() {
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
}

export async function closeRegions() {
  for (const clean of cleanings) await clean()
}

/** Ends the primary's connections: all of Signet's but those that look, and that of eu. */
export const cutOff = () =>
  primary.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where usename = 'app' and query not like '%left join pg_stat_replication%' or application_name = 'eu'`,
  )
const masterKey = makeMasterKey()

/** Of all on this database; nobody goes there. */
const baseUrl = 'http://localhost:8080'
export const pageEvent = { event_name: 'VirtualPageLoaded_v1', window_location: 'https://app.test/' }

export const full = refused(503, 'service: temporarily unavailable; try again')
export const late = refused(
  408,
  'Service-Required-Consistency-Timeout: not reached in time; the request may still be handled',
)

export async function startIn(regions: string, life: Life): Promise<Signet> {
  const started = await startSignet({
    databaseUrl: databaseUrlOf(replication),
    masterKey,
    env: { SIGNET_REGIONS: regions, SIGNET_BASE_URL: baseUrl, SIGNET_RATE_PAGE_EVENTS: '100000/100000' },
  })
  life.onTestFinished(started.stop)
  return started
}

/** What it says before it ends with status 1. */
export async function refusalOfStart(life: Life): Promise<string> {
  const program = run(life, [process.execPath, 'server/src/main.ts'], {
    DATABASE_URL: databaseUrlOf(replication),
    SIGNET_REGIONS: 'local,eu',
    SIGNET_MASTER_KEY: masterKey,
    SIGNET_BASE_URL: baseUrl,
    SIGNET_LOG_LEVEL: 'silent',
  })
  expect(await program.ended).toBe(1)
  return program.output()
}

export const everywhere = (seconds: number): Headings => ({
  'Service-Required-Consistency': 'all_regions',
  'Service-Required-Consistency-Timeout': `${seconds}`,
})

export function createGroup(name: string, headers = everywhere(60), at = signet, of = organization): Promise<Answer> {
  return at.as(of, 'POST', '/groups', { name }, headers)
}

/** As many as an organization may have waiting at once. */
export const fillShare = (name: string, of: Organization) =>
  Array.from({ length: maxOfShare }, (_, n) => createGroup(`${name}-${n}`, everywhere(longSeconds), signet, of))

/** Each once. */
export const statusesOf = async (answers: Promise<Answer>[]) =>
  [...new Set((await Promise.all(answers)).map(({ status }) => status))].sort()

/** Only eu keeps the answer waiting: it is paused, and everybody else has the change. */
export async function beginWaiting(name: string, at = signet) {
  await eu.pause()
  let answer: Answer | undefined
  const answered = createGroup(name, everywhere(longSeconds), at).then((reply) => (answer = reply))
  await expect.poll(() => whoHas(name), patience).toEqual(['primary', 'us'])
  const first = await looks()
  await expect.poll(looks, patience).toBeGreaterThan(first)
  return { answered, answer: () => answer }
}

export const countOf = async (pattern: string, server = primary): Promise<number> =>
  (await server.query('select from groups where name like $1', pattern)).length

export const countPageEvents = async (): Promise<number> =>
  (await primary.query('select from events where name = $1', pageEvent.event_name)).length

export async function whoHas(name: string): Promise<string[]> {
  const servers = { primary, eu, us }
  const found = await Promise.all(
    Object.entries(servers).map(async ([title, server]) => ((await countOf(name, server)) > 0 ? [title] : [])),
  )
  return found.flat()
}

/** Bytes of the log. */
export async function flushed(): Promise<number> {
  const [row] = await primary.query(`select pg_current_wal_flush_lsn() - '0/0' as lsn`)
  return Number(row?.lsn)
}

export async function delayReplay(standby: Standby, delay: string) {
  await standby.query(`alter system set recovery_min_apply_delay = '${delay}'`)
  await standby.query('select pg_reload_conf()')
}

/** How often regions were looked at so far. */
export async function looks(): Promise<number> {
  const [row] = await primary.query<{ calls: number }>(
    `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements where query like '%left join pg_stat_replication%'`,
  )
  return row?.calls ?? Number.NaN
}

/** All that is asked for `all_regions`, with how often. */
export const statementsOfRegions = () =>
  primary.query(
    `select query, calls::int from pg_stat_statements where userid = 'app'::regrole and query like any ($1) order by query`,
    ['%left join pg_stat_replication%', '%pg_current_wal_flush_lsn%', '%where current_setting($_) = %'],
  )

/** Processes of PostgreSQL that look at the regions for Signet. */
export async function lookers(): Promise<number[]> {
  const rows = await primary.query<{ pid: number }>(
    `select pid from pg_stat_activity where usename = 'app' and query like '%left join pg_stat_replication%'`,
  )
  return rows.map(({ pid }) => pid)
}

export const openTransactions = () =>
  primary.query(
    `select query from pg_stat_activity
      where usename = 'app' and state <> 'idle' and query not like '%left join pg_stat_replication%'`,
  )
