import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeMasterKey } from '../../../src/ground/keys/index.ts'
import { givenPrograms } from '../../support/given-programs.ts'
import { type Life, temporaryFolder } from '../../support/program.ts'
import { type Organization, type Signet, startSignet } from '../../support/signet.ts'
import { addRole, databaseUrlOf, type Replication, type Server, startReplication } from '../../support/standbys.ts'

/** Standbys of its own, promoted and made anew: that takes its time on a busy machine. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 150_000 })

const patience = { timeout: 30_000, interval: 50 }
const settings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB', max_connections: '100' }
const baseUrl = 'http://localhost'
const masterKey = makeMasterKey()

let replication: Replication
let primary: Server
let signet: Signet
let organization: Organization
const cleanings: (() => unknown)[] = []
const wholeFile: Life = { onTestFinished: (clean) => void cleanings.unshift(clean) }

beforeAll(async () => {
  replication = await startReplication(temporaryFolder(wholeFile), settings, givenPrograms())
  wholeFile.onTestFinished(replication.stop)
  primary = replication.primary
  await addRole(primary)
  signet = await startSignet({ databaseUrl: databaseUrlOf(replication), masterKey, env: { SIGNET_BASE_URL: baseUrl } })
  wholeFile.onTestFinished(signet.stop)
  organization = await signet.organization()
})

afterAll(async () => {
  for (const clean of cleanings) await clean()
})

const readiness = async () => {
  const { status, body } = await signet.call('GET', '/readyz')
  return [status, body.checks.database]
}
const untilReadinessIs = (...expected: unknown[]) => expect.poll(readiness, patience).toEqual(expected)

/** Writes one group after the other; what was answered, and with what. */
function startWriting(prefix: string) {
  const statuses = new Map<number, number>()
  const acknowledged: string[] = []
  const retryAfters = new Set<string | null>()
  let isOver = false
  const writing = (async () => {
    for (let n = 0; !isOver; n++) {
      const name = `${prefix}-${n}`
      const { status, headers } = await signet.as(organization, 'POST', '/groups', { name })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 201) acknowledged.push(name)
      else retryAfters.add(headers.get('retry-after'))
      await wait(10)
    }
  })()
  return {
    statuses,
    acknowledged,
    untilWritten: async () => {
      const before = acknowledged.length
      await expect.poll(() => acknowledged.length, patience).toBeGreaterThan(before)
    },
    stop: async () => {
      isOver = true
      await writing
      expect([...statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([])
      expect([...retryAfters]).toEqual(statuses.has(503) ? ['1'] : [])
    },
  }
}

async function groupsAt(server: Server, prefix: string): Promise<string[]> {
  const rows = await server.query<{ name: string }>('select name from groups where name like $1', `${prefix}-%`)
  return rows.map(({ name }) => name)
}

/** Another key of the organization, which is to be of no use once it is revoked. */
async function makeKey() {
  const { body } = await signet.as(organization, 'POST', '/organizations/api-keys', {})
  return { id: body.result.id as string, apiKey: body.result.api_key as string }
}
const revoke = async (id: string) => (await signet.as(organization, 'DELETE', `/organizations/api-keys/${id}`)).status
const statusWith = async (apiKey: string) => (await signet.as({ id: organization.id, apiKey }, 'GET', '/groups')).status

test('A server that is set to read-only is not ready, answers writes with 503, and is used again once it takes writes', async () => {
  const writing = startWriting('readonly')
  await writing.untilWritten()
  await primary.query('alter system set default_transaction_read_only = on')
  await primary.query('select pg_reload_conf()')
  await untilReadinessIs(503, 'read_only 25006')
  await expect.poll(() => writing.statuses.get(503), patience).toBeGreaterThan(3)
  await primary.query('alter system reset default_transaction_read_only')
  await primary.query('select pg_reload_conf()')
  await untilReadinessIs(200, 'ok')
  await writing.untilWritten()
  await writing.stop()
  expect(await groupsAt(primary, 'readonly')).toEqual(expect.arrayContaining(writing.acknowledged))
})

test('A server with no connection left for Signet is not ready, and the log says why once', async () => {
  await primary.query('alter role app connection limit 0')
  await primary.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`)
  await untilReadinessIs(503, 'full 53300')
  expect((await signet.as(organization, 'POST', '/groups', { name: 'full' })).status).toBe(503)
  await primary.query('alter role app connection limit -1')
  await untilReadinessIs(200, 'ok')
  expect((await signet.as(organization, 'POST', '/groups', { name: 'full' })).status).toBe(201)
  expect(
    signet
      .output()
      .split('\n')
      .filter((line) => line.includes('"sqlstate":"53300"')),
  ).toHaveLength(1)
})

test('No connection stays on a standby to which the name led for a while: what was written is read, and a revoked key is refused', async () => {
  const standby = await replication.addStandby('eu')
  const key = await makeKey()
  expect(await statusWith(key.apiKey)).toBe(200)
  replication.lead(standby)
  await primary.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`)
  await untilReadinessIs(503, 'read_only 25006')
  expect((await signet.as(organization, 'POST', '/groups', { name: 'on-standby' })).status).toBe(503)
  replication.lead(primary)
  await untilReadinessIs(200, 'ok')
  await standby.pause()
  expect(await revoke(key.id)).toBe(204)
  expect(await statusWith(key.apiKey)).toBe(401)
  expect((await signet.as(organization, 'POST', '/groups', { name: 'read-back' })).status).toBe(201)
  expect((await signet.as(organization, 'GET', '/groups/read-back')).status).toBe(200)
  await standby.resume()
  await standby.stop()
})

test.each(['stopped', 'killed'] as const)(
  'After a switch to a synchronous standby the primary of before, %s, is given up, and nothing that was answered is lost',
  async (how) => {
    const name = `to_${how}`
    const standby = await replication.addStandby(name, name, primary)
    await primary.query(`alter system set synchronous_standby_names = '${name}'`)
    await primary.query('select pg_reload_conf()')
    const writing = startWriting(how)
    await writing.untilWritten()
    const key = await makeKey()
    const before = primary
    await (how === 'killed' ? before.kill() : before.stop())
    await expect.poll(readiness, patience).toEqual([503, expect.stringMatching(/^unreachable (08001|57P0\d)$/)])
    await standby.query('alter system reset synchronous_standby_names')
    await standby.query('select pg_promote()')
    // The name still leads to where the old one was.
    await wait(500)
    replication.lead(standby)
    await untilReadinessIs(200, 'ok')
    await writing.untilWritten()
    await writing.stop()
    expect(await groupsAt(standby, how)).toEqual(expect.arrayContaining(writing.acknowledged))
    expect(await revoke(key.id)).toBe(204)
    expect(await statusWith(key.apiKey)).toBe(401)
    primary = standby
  },
)

test('A primary that was overtaken and still runs is used by no connection, neither for reads nor for writes', async () => {
  const before = primary
  const standby = await replication.addStandby('overtaking', 'overtaking', before)
  const key = await makeKey()
  expect(await statusWith(key.apiKey)).toBe(200)
  await standby.query('select pg_promote()')
  replication.lead(standby)
  // Its connections were not cut; whoever reads is led to the new one within the interval of looks.
  await expect.poll(() => statusWith(key.apiKey).then(() => connectionsTo(before)), patience).toBe(0)
  expect(await revoke(key.id)).toBe(204)
  expect(await statusWith(key.apiKey)).toBe(401)
  // Led back to the one that was overtaken: no connection is made there.
  replication.lead(before)
  await standby.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`)
  await untilReadinessIs(503, 'read_only 25006')
  expect(await statusWith(key.apiKey)).toBe(503)
  replication.lead(standby)
  await untilReadinessIs(200, 'ok')
  expect(await statusWith(key.apiKey)).toBe(401)
})

/** Those that a request waits on: what listens for announcements goes with its next sign of life. */
async function connectionsTo(server: Server): Promise<number> {
  const rows = await server.query(
    `select from pg_stat_activity where usename = 'app' and backend_type = 'client backend' and query not ilike 'listen%'
        and query not like 'select 1%'`,
  )
  return rows.length
}
