import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/database.ts'
import { makePartitions } from '../../src/database/day-partitions.ts'
import { startEmbeddedPostgres } from '../../src/database/embedded/index.ts'
import { makeMasterKey } from '../../src/keys/index.ts'
import { dayMs } from '../../src/runtime/clock.ts'
import { firstIdAt } from '../../src/runtime/identifiers.ts'
import { repository, temporaryFolder } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'
import { openFolder } from './support/folder.ts'
import { password, startServer } from './support/postgresql.ts'

const script = 'examples/deployment/move-to-postgresql.sh'
/** Older than anything that a new database has a partition for. */
const oldAgeMs = 20 * dayMs

test('The embedded database is copied into a PostgreSQL 15 by psql alone, and Signet goes on there', async () => {
  await using life = new AsyncDisposableStack()
  const dataDir = temporaryFolder({ onTestFinished })
  const receiver = life.adopt(await startReceiver(), (started) => started.stop())
  const server = await startServer(life, join(openFolder(life), 'data'))
  const databaseUrl = `postgresql://signet:${password}@127.0.0.1:${server.port}/signet`
  const env = { SIGNET_BASE_URL: 'http://signet.localhost' }
  const shared = { receiver, env, masterKey: makeMasterKey() }

  const before = await startSignet({ dataDir, ...shared })
  life.defer(before.kill)
  const organization = await before.organization()
  const fields = { custom_headers: { 'X-Kept': ['a secret'] } }
  const webhook = await addWebhook(before, organization, receiver.url('/moved'), ['PersonCreated_v1'], fields)
  await before.as(organization, 'POST', '/groups', { name: 'staff', description: 'a\ttab, a \\ and\na line' })
  const person = { handles: [{ type: 'EmailAddress', value: 'ada@example.com' }], groups: ['staff'] }
  const created = await before.as(organization, 'POST', '/persons', person)
  await receiver.waitFor('/moved', 1)
  await before.as(organization, 'PATCH', `/organizations/webhooks/${webhook}`, { enabled: false })
  await before.as(organization, 'POST', '/persons', {})
  expect(await before.stop()).toBe(0)
  await addOldEvent(dataDir)
  const rows = await embeddedRows(dataDir)

  const first = await startSignet({ databaseUrl, ...shared })
  await first.stop()
  expect(await move(dataDir, databaseUrl)).toMatch(/^Copied, with 2 organizations\.$/m)
  expect(await rowsAt(databaseUrl)).toEqual(rows)
  await expect(move(dataDir, databaseUrl)).rejects.toThrow('DATABASE_URL has organizations already.')

  const after = await startSignet({ databaseUrl, ...shared })
  life.defer(after.kill)
  const path = `/persons/${created.body.result.person_id}`
  expect((await after.as(organization, 'GET', path)).body).toEqual({ result: created.body.result })
  await after.as(organization, 'PATCH', `/organizations/webhooks/${webhook}`, { enabled: true })
  const [, held] = await receiver.waitFor('/moved', 2)
  expect(held?.headers['x-kept']).toBe('a secret')
  expect((await after.as(organization, 'POST', '/persons', {})).status).toBe(201)
  await receiver.waitFor('/moved', 3)
})

/** Gives what it said; as whoever owns the data folder, as the documentation says. */
async function move(dataDir: string, databaseUrl: string): Promise<string> {
  const { uid, gid } = statSync(join(dataDir, 'postgres/data'))
  const asOwner = process.getuid?.() === 0 ? { uid, gid } : {}
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, HOME: '/' }
  const { stdout } = await promisify(execFile)('sh', [script, dataDir], { cwd: repository, env, ...asOwner })
  return stdout
}

async function onEmbedded<Result>(dataDir: string, work: (connection: pg.ClientConfig) => Promise<Result>) {
  const { connection, stop } = await startEmbeddedPostgres({ folder: join(dataDir, 'postgres'), diesWithParent: true })
  try {
    return await work(connection)
  } finally {
    await stop()
  }
}

/** As if this installation had run for weeks. */
const addOldEvent = (dataDir: string) =>
  onEmbedded(dataDir, async (connection) => {
    const at = Date.now() - oldAgeMs
    const database = openDatabase(connection)
    await makePartitions(database, at)
    await database.close()
    const client = new pg.Client(connection)
    await client.connect()
    await client.query(
      `insert into events select (jsonb_populate_record(e, jsonb_build_object('id', $1::text))).* from events e limit 1`,
      [firstIdAt(at)],
    )
    await client.end()
  })

const embeddedRows = (dataDir: string) => onEmbedded(dataDir, (connection) => countRows(connection))
const rowsAt = (databaseUrl: string) => countRows({ connectionString: databaseUrl })

/** Of every table a number and a hash of all its rows. */
async function countRows(connection: pg.ClientConfig): Promise<Record<string, string>> {
  const client = new pg.Client({ ...connection, options: '-c timezone=UTC' })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
       and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations' order by relname`,
  )
  const counted: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await client.query(
      `select count(*) || ' ' || coalesce(md5(string_agg(to_jsonb(t)::text, '' order by to_jsonb(t)::text collate "C")), '')
         as found from ${client.escapeIdentifier(name)} t`,
    )
    counted[name] = rows[0].found
  }
  await client.end()
  return counted
}
