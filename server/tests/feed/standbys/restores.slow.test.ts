import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStream } from '../../support/event-stream.ts'
import { givenPrograms } from '../../support/given-programs.ts'
import { temporaryFolder } from '../../support/program.ts'
import { type Organization, type Signet, startSignet } from '../../support/signet.ts'
import { addRole, databaseUrlOf, type Server, startReplication } from '../../support/standbys.ts'

const patience = { timeout: 60_000, interval: 100 }
const settings = { fsync: 'off', shared_buffers: '32MB', max_connections: '60', archive_mode: 'on' }

const publish = (signet: Signet, organization: Organization, count: number) =>
  signet.as(organization, 'POST', '/test-events', Array(count).fill({ event_name: 'PersonCreated' }))

/** The ids after `cursor`, and the cursor behind them. */
async function read(signet: Signet, organization: Organization, cursor = '', limit = 100) {
  const { status, body } = await signet.as(organization, 'GET', `/events?limit=${limit}${cursor && `&after=${cursor}`}`)
  if (status !== 200) return { status, problem: body.errors[0].message as string, ids: [], next: '' }
  const ids: string[] = body.result.map(
    (event: { event_metadata: { event_id: string } }) => event.event_metadata.event_id,
  )
  return { status, problem: '', ids, next: body.meta.next as string }
}

async function archiveAll(primary: Server) {
  const [row] = await primary.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file')
  const isArchived = async () =>
    (await primary.query('select from pg_stat_archiver where last_archived_wal >= $1', row?.file)).length
  await expect.poll(isArchived, patience).toBe(1)
}

test('After the database was restored to an earlier moment a cursor from later is 410 with the oldest one, beside a running process', async (context) => {
  const folder = temporaryFolder(context)
  const archive = join(folder, 'archive')
  const archiving = { ...settings, archive_command: `cp %p ${archive}/%f` }
  const replication = await startReplication(folder, archiving, givenPrograms())
  context.onTestFinished(replication.stop)
  const { primary } = replication
  const { uid, gid } = statSync(join(primary.folder, 'data'))
  mkdirSync(archive)
  chownSync(archive, uid, gid)
  await addRole(primary)
  const backup = await replication.addStandby('backup')
  await backup.stop()

  const signet = await startSignet({ databaseUrl: databaseUrlOf(replication) })
  context.onTestFinished(() => signet.kill())
  const organization = await signet.organization()
  const others = await signet.organization()
  await publish(signet, organization, 5)
  const half = await read(signet, organization, '', 3)
  const kept = await read(signet, organization)
  const addGroup = (name: string) => signet.as(organization, 'POST', '/groups', { name })
  for (const name of ['one', 'two', 'three']) expect((await addGroup(name)).status).toBe(201)
  const entriesAfter = (cursor = '') =>
    signet.as(organization, 'GET', `/organizations/audit-log?limit=1${cursor && `&after=${cursor}`}`)
  const keptEntry = (await entriesAfter()).body.meta.next
  await primary.query("select pg_create_restore_point('earlier')")

  // Fewer than what PostgreSQL writes ahead of a sequence.
  await publish(signet, organization, 3)
  const lost = await read(signet, organization)
  expect(lost.ids).toHaveLength(8)
  await addGroup('lost')
  const lostEntry = (await entriesAfter()).body.meta.next
  await publish(signet, others, 1)
  const quiet = await read(signet, others)
  const headers = { 'service-orgid': organization.id, 'service-api-key': organization.apiKey }
  const stream = await openStream(`${signet.baseUrl}/events`, { headers: { ...headers, 'last-event-id': half.next } })
  await stream.waitFor(5)
  await archiveAll(primary)
  await primary.stop()

  await backup.start({
    primary_conninfo: '',
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_name: 'earlier',
    recovery_target_action: 'promote',
  })
  replication.lead(backup)
  const isPrimary = async () => (await backup.query('select from pg_settings where pg_is_in_recovery()')).length === 0
  await expect.poll(isPrimary, patience).toBe(true)
  await expect.poll(async () => (await read(signet, organization, lost.next)).status, patience).toBe(410)
  const { problem } = await read(signet, organization, lost.next)
  const oldest = /the oldest cursor is (\S+)$/.exec(problem)?.[1]
  expect((await read(signet, organization, oldest)).ids).toEqual(kept.ids)
  expect((await read(signet, others, quiet.next)).status).toBe(410)

  const [end] = (await stream.waitFor(6, 60_000)).slice(5)
  expect([end?.event, JSON.parse(end?.data ?? '{}').errors?.[0]]).toEqual([
    'error',
    { httpcode: 410, message: expect.stringContaining('from a history that a restore has ended') },
  ])
  expect([(await entriesAfter(lostEntry)).status, (await entriesAfter(keptEntry)).status]).toEqual([410, 200])

  await publish(signet, organization, 2)
  const after = await read(signet, organization, kept.next)
  expect(after.ids).toHaveLength(2)
  expect((await read(signet, organization, half.next)).ids).toEqual([...kept.ids.slice(3), ...after.ids])
  expect((await read(signet, organization, after.next)).status).toBe(200)
  expect((await read(signet, organization, lost.next)).status).toBe(410)
})

test('A failover to a synchronous standby ends no history: the cursor and the open stream go on, and nothing is skipped', async (context) => {
  const folder = temporaryFolder(context)
  const replication = await startReplication(folder, { ...settings, archive_mode: 'off' }, givenPrograms())
  context.onTestFinished(replication.stop)
  const { primary } = replication
  await addRole(primary)
  const standby = await replication.addStandby('other')
  await primary.query("alter system set synchronous_standby_names = '*'")
  await primary.query('select pg_reload_conf()')
  const isSynchronous = async () =>
    (await primary.query("select from pg_stat_replication where sync_state = 'sync'")).length
  await expect.poll(isSynchronous, patience).toBe(1)

  const signet = await startSignet({ databaseUrl: databaseUrlOf(replication) })
  context.onTestFinished(() => signet.kill())
  const organization = await signet.organization()
  await publish(signet, organization, 7)
  const before = await read(signet, organization)
  const headers = { 'service-orgid': organization.id, 'service-api-key': organization.apiKey }
  const stream = await openStream(`${signet.baseUrl}/events`, { headers })
  await stream.waitFor(7)
  await primary.kill()
  replication.lead(standby)
  await standby.query('select pg_promote()')
  const publishAgain = () =>
    publish(signet, organization, 2).then(
      ({ status }) => status,
      () => 0,
    )
  await standby.query("alter system set synchronous_standby_names = ''")
  await standby.query('select pg_reload_conf()')
  await expect.poll(publishAgain, patience).toBe(201)
  const after = await read(signet, organization, before.next)
  expect(after.status).toBe(200)
  expect(after.ids.length).toBeGreaterThanOrEqual(2)
  const idsOf = async () =>
    stream.messages().map(({ event, data }) => (event === 'error' ? data : JSON.parse(data).event_metadata.event_id))
  await expect.poll(idsOf, patience).toEqual([...before.ids, ...after.ids])
})
