import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeMasterKey } from '../../../src/ground/keys/index.ts'
import { backUp, restore } from '../../../src/operator/backup/index.ts'
import { readManifest, writeManifest } from '../../../src/operator/backup/manifest.ts'
import { type Load, linesOf, newFolderIn, query, signetCommand, startLoad } from '../../support/backup.ts'
import { processesOn, temporaryFolder } from '../../support/program.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { type Organization, type Signet, startSignet } from '../../support/signet.ts'
import { addWebhook } from '../../support/webhooks.ts'

/** One Signet on its embedded database, and one backup of it, which the tests share. */
const folder = temporaryFolder({ onTestFinished: afterAll })
const dataDir = join(folder, 'data')
const shared = join(folder, 'backup')
let receiver: Receiver
let signet: Signet
let organization: Organization

beforeAll(async () => {
  receiver = await startReceiver()
  signet = await startOn(dataDir)
  organization = await signet.organization()
  await take(shared)
})

afterAll(async () => {
  await signet?.stop()
  await receiver?.stop()
})

/** In a namespace of its own, so that nothing stays mounted. */
const mounting = ['unshare', '--mount']
const mayMount = spawnSync('env', [...mounting, 'true']).status === 0

/** The master key is in the folder, as on any machine where none is set. */
const startOn = (on: string, env: Record<string, string> = {}) =>
  startSignet({
    dataDir: on,
    receiver,
    masterKey: '',
    env: { SIGNET_RATE_TEST_EVENTS: '999999/999999', ...env },
  })

const never = new AbortController().signal
const ignore = () => {}

const take = (target: string, from = dataDir) =>
  backUp({ dataDir: from, folder: target, signal: never, onProgress: ignore, onComplete: ignore })

const restoreTo = (target: string, from = shared) =>
  restore({ folder: from, dataDir: target, deliver: false, signal: never, onProgress: ignore })

/** By links: a file that is to differ must be replaced. */
const copyOfShared = () => {
  const copy = join(newFolderIn(folder), 'copy')
  execFileSync('cp', ['-al', shared, copy])
  return copy
}

/** Each copy of some 50 MB waits for the disk, which others may be using. */
const timeout = 120_000

describe.concurrent('A copy restored from a backup that was made under load', { timeout }, () => {
  const copyDir = join(folder, 'copy')
  let copy: Signet
  let webhook: string
  let acknowledged: ReturnType<Load['soFar']>
  /** Requests to the receiver by the original. */
  let calls: number

  beforeAll(async () => {
    const life = { onTestFinished: afterAll }
    const target = join(folder, 'loaded')
    webhook = `/organizations/webhooks/${await addFailingWebhook()}`
    await receiver.waitFor('/waiting', 1)
    await signet.as(organization, 'GET', `/oidc/${organization.id}/jwks`)
    const load = startLoad(signet, organization)
    await load.reaches(500)
    const backup = signetCommand(life, dataDir, ['backup', target, '--json'])
    expect(await backup.ended, backup.output()).toBe(0)
    acknowledged = load.soFar()
    await load.reaches(acknowledged.events.length + 100)
    await load.stop()
    const made = { type: 'backup', folder: target, base_url: signet.baseUrl, has_master_key: true }
    expect(linesOf(backup).at(-1)).toMatchObject(made)
    await signet.as(organization, 'PATCH', webhook, { enabled: false })

    const restoring = signetCommand(life, copyDir, ['restore', target, '--json'])
    expect(await restoring.ended, restoring.output()).toBe(0)
    expect(linesOf(restoring).at(-1)).toMatchObject({ type: 'restored', webhooks_paused: 1, deliveries_waiting: 1 })
    calls = receiver.received('/waiting').length
    copy = await startOn(copyDir, { SIGNET_BASE_URL: signet.baseUrl })
  }, timeout)

  afterAll(() => copy?.stop())

  async function addFailingWebhook(): Promise<string> {
    receiver.behave('/waiting', { status: 500 })
    const id = await addWebhook(signet, organization, receiver.url('/waiting'), ['PersonDeleted_v1'])
    const hook = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
    await signet.as(organization, 'POST', `/organizations/webhooks/${id}/triggers`, hook)
    await signet.as(organization, 'POST', '/test-events', [{ event_name: 'PersonDeleted' }])
    return id
  }

  test('Whatever was acknowledged before the backup ended is in the copy', async () => {
    const events = 'select id, name, payload from events where id = any($1) order by id'
    const restored = await query(copyDir, events, acknowledged.events)
    expect(restored).toHaveLength(acknowledged.events.length)
    expect(restored).toEqual(await query(dataDir, events, acknowledged.events))
    const persons = 'select id from persons where id = any($1)'
    expect(await query(copyDir, persons, acknowledged.persons)).toHaveLength(acknowledged.persons.length)
  })

  test('A reader goes on where the copy has what it read last, and is told so where the copy has not', async () => {
    const { first, last } = await cursorsOf(signet)
    expect((await copy.as(organization, 'GET', `/events?after=${first}`)).status).toBe(200)
    expect((await copy.as(organization, 'GET', `/events?after=${last}`)).status).toBe(410)
  })

  test.for(['/organizations/webhooks/verification-jwks', '/oidc/:id/jwks', '/organizations/api-keys'])(
    'The copy has the keys of the original at %s',
    async (name) => {
      const path = name.replace(':id', organization.id)
      const [one, other] = await Promise.all([copy, signet].map((each) => each.as(organization, 'GET', path)))
      expect(one?.status).toBe(200)
      expect(one?.body.keys ?? one?.body.result.length).toEqual(other?.body.keys ?? other?.body.result.length)
    },
  )

  test('The copy calls no receiver before its webhook is resumed', async () => {
    const show = async (path: string, method = 'GET') => (await copy.as(organization, method, path)).body.result
    expect(await show(webhook)).toMatchObject({ enabled: false, paused_reason: 'restored' })
    expect(await show(`${webhook}/deliveries?status=held`)).toHaveLength(1)
    const refused = { status: 'dropped', reason: 'webhook_restored', attempts: [] }
    expect(await show(`${webhook}/dry-run`, 'POST')).toMatchObject(refused)
    expect(receiver.received('/waiting')).toHaveLength(calls)

    receiver.behave('/waiting', { status: 200 })
    await copy.as(organization, 'PATCH', webhook, { enabled: true })
    await receiver.waitFor('/waiting', calls + 1)
    expect((await show(`${webhook}/dry-run`, 'POST')).attempts).toHaveLength(1)
  })
})

describe.concurrent('Backups of the embedded database', { timeout }, () => {
  test('A backup is private, and has the secrets of the data folder', () => {
    expect(statSync(shared).mode & 0o777).toBe(0o700)
    const { files, folders } = readManifest(shared)
    for (const { path } of files) expect(statSync(join(shared, path)).mode & 0o777, path).toBe(0o600)
    for (const path of folders) expect(statSync(join(shared, path)).mode & 0o777, path).toBe(0o700)
    expect(readdirSync(join(shared, 'secrets')).sort()).toEqual(['first-api-key', 'master-key'])
    expect(readFileSync(join(shared, 'secrets/master-key'), 'utf8')).toBe(
      readFileSync(join(dataDir, 'master-key'), 'utf8'),
    )
  })

  test('A backup that is killed is no backup, and ends the backup mode of the server', async (context) => {
    const target = newFolderIn(folder)
    const backup = signetCommand(context, dataDir, ['backup', target, '--json'])
    await backup.says(/"progress"/)
    process.kill(backup.pid, 'SIGKILL')
    await backup.ended
    await expect(restoreTo(join(folder, 'of-killed'), target)).rejects.toThrow('is no complete backup')
    expect(existsSync(join(folder, 'of-killed'))).toBe(false)
    const sessions = `select from pg_stat_activity where application_name = 'signet backup'`
    const slots = `select from pg_replication_slots where slot_name like 'signet_backup_%'`
    for (const left of [sessions, slots]) await expect.poll(() => query(dataDir, left)).toEqual([])
  })

  test('A backup that is interrupted leaves an empty folder', async (context) => {
    const target = newFolderIn(folder)
    const backup = signetCommand(context, dataDir, ['backup', target, '--json'])
    await backup.says(/"progress"/)
    process.kill(backup.pid, 'SIGINT')
    expect(await backup.ended).toBe(130)
    expect(backup.output()).toContain('stopped; what had been written was removed')
    expect(readdirSync(target)).toEqual([])
  })

  test('A backup is refused by restore when one byte of it is another', async () => {
    const copy = copyOfShared()
    const { files } = readManifest(copy)
    const largest = files.toSorted((one, other) => other.bytes - one.bytes)[0]?.path as string
    for (const path of [largest, 'backup.json']) {
      flipByte(join(copy, path))
      await expect(restoreTo(join(folder, 'of-damaged'), copy)).rejects.toThrow(/damaged|cannot be trusted/)
      flipByte(join(copy, path))
    }
    writeManifest(copy, { ...readManifest(copy), signet_version: '0.2.0' })
    await expect(restoreTo(join(folder, 'of-damaged'), copy)).rejects.toThrow('was made by Signet 0.2.0')
    writeManifest(copy, { ...readManifest(copy), signet_version: '0.1.0', postgresql_major: 19 })
    await expect(restoreTo(join(folder, 'of-damaged'), copy)).rejects.toThrow('PostgreSQL 19')
    expect(existsSync(join(folder, 'of-damaged'))).toBe(false)
  })

  test('A restore that is killed leaves no data folder; made again it does, of which backups are made at once', async (context) => {
    const copyDir = join(folder, 'killed')
    const restoring = signetCommand(context, copyDir, ['restore', shared, '--json'])
    await expect.poll(() => existsSync(join(copyDir, 'postgres/data/global'))).toBe(true)
    process.kill(restoring.pid, 'SIGKILL')
    await restoring.ended
    await expect(startOn(copyDir)).rejects.toThrow('an interrupted restore left')
    await expect(take(join(folder, 'of-killed-restore'), copyDir)).rejects.toThrow('an interrupted restore left')
    chmodSync(copyDir, 0o777)
    expect(await restoreTo(copyDir)).toMatchObject({ data_dir: copyDir, base_url: signet.baseUrl })
    expect(statSync(copyDir).mode & 0o066).toBe(0)
    await expect(restoreTo(copyDir)).rejects.toThrow('is not empty')

    // No service runs on it: the first backup starts PostgreSQL, and ends it when the last is complete.
    const targets = ['one', 'another', 'third'].map((name) => join(folder, name))
    const commands = targets.map((target) => signetCommand(context, copyDir, ['backup', target]))
    for (const { ended, output } of commands) expect(await ended, output()).toBe(0)
    for (const target of targets) expect(readManifest(target).base_url).toBe(signet.baseUrl)
    expect(processesOn(copyDir)).toEqual([])
  })

  test('A disk that is full is named, and nothing is left on it', async (context) => {
    context.skip(!mayMount, 'needs the right to mount')
    for (const [limit, message] of [
      ['size=8m', 'not enough space'],
      ['size=900m,nr_inodes=300', 'the disk is full (ENOSPC)'],
    ] as const) {
      const target = newFolderIn(folder)
      const script = `mount -t tmpfs -o ${limit} tmpfs ${target} && "$@"; code=$?; ls -A ${target} | sed 's/^/left: /'; exit $code`
      const prefix = [...mounting, 'sh', '-c', script, '-']
      const backup = signetCommand(context, dataDir, ['backup', target], { prefix })
      expect(await backup.ended).toBe(1)
      expect(backup.output()).toContain(message)
      expect(backup.output()).not.toContain('left: ')
    }
  })

  test('A backup is refused where it cannot be one', async (context) => {
    const used = newFolderIn(folder)
    writeFileSync(join(used, 'other'), '')
    await expect(take(used)).rejects.toThrow('must be a new folder, or an empty one')
    await expect(take(join(dataDir, 'backup'))).rejects.toThrow('is in the data folder')
    await expect(take(join(folder, 'never'), join(folder, 'nowhere'))).rejects.toThrow(
      'no Signet has run on this data folder',
    )
    await expect(startOn(shared)).rejects.toThrow('is a backup')
    const env = { DATABASE_URL: 'postgresql:///x', SIGNET_BASE_URL: signet.baseUrl, SIGNET_MASTER_KEY: makeMasterKey() }
    for (const command of ['backup', 'restore']) {
      const refused = signetCommand(context, dataDir, [command, join(folder, 'never')], { env })
      expect(await refused.ended).toBe(2)
      expect(refused.output()).toMatch(/^DATABASE_URL: .*pg_basebackup/)
    }
  })
})

/** Of the oldest page of events, and of the newest event. */
async function cursorsOf(client: Signet) {
  const pages: { meta: { next: string; has_more: boolean } }[] = []
  while (pages.at(-1)?.meta.has_more !== false) {
    const after = pages.length > 0 ? `&after=${pages.at(-1)?.meta.next}` : ''
    pages.push((await client.as(organization, 'GET', `/events?limit=1000${after}`)).body)
  }
  return { first: pages[0]?.meta.next, last: pages.at(-1)?.meta.next }
}

/** Another content, and again the one before. */
function flipByte(path: string) {
  const bytes = readFileSync(path)
  const at = Math.floor(bytes.length / 2)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  rmSync(path)
  writeFileSync(path, bytes)
}
