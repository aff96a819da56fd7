import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/ground/database/database.ts'
import { startEmbeddedPostgres } from '../../../src/ground/database/embedded/index.ts'
import { makePartitions } from '../../../src/ground/database/time-partitions.ts'
import { makeMasterKey } from '../../../src/ground/keys/index.ts'
import { dayMs } from '../../../src/ground/runtime/clock.ts'
import { firstIdAt } from '../../../src/ground/runtime/identifiers.ts'
import { signetCommand } from '../../support/backup.ts'
import { contentsOf } from '../../support/contents.ts'
import { type Life, temporaryFolder } from '../../support/program.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startSignet } from '../../support/signet.ts'
import { addWebhook } from '../../support/webhooks.ts'
import { openFolder } from './support/folder.ts'
import { password, startServer } from './support/postgresql.ts'

/** Older than anything that a new database has a partition for. */
const oldAgeMs = 20 * dayMs

test('The embedded database is copied into a PostgreSQL 15, Signet goes on there, and it is copied back', async (context) => {
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

  const address = join(temporaryFolder({ onTestFinished }), 'address')
  writeFileSync(address, databaseUrl)
  expect(await copy(context, { SIGNET_DATA_DIR: dataDir }, '--to', address, '--deliver')).toMatch(
    /^Copied: \d+ rows of \d+ tables, the same/m,
  )
  expect(unmarked(await rowsAt(databaseUrl))).toEqual(unmarked(rows))

  const after = await startSignet({ databaseUrl, ...shared })
  life.defer(after.kill)
  const path = `/persons/${created.body.result.person_id}`
  expect((await after.as(organization, 'GET', path)).body).toEqual({ result: created.body.result })
  await after.as(organization, 'PATCH', `/organizations/webhooks/${webhook}`, { enabled: true })
  const [, held] = await receiver.waitFor('/moved', 2)
  expect(held?.headers['x-kept']).toBe('a secret')
  expect((await after.as(organization, 'POST', '/persons', {})).status).toBe(201)
  await receiver.waitFor('/moved', 3)
  expect(await after.stop()).toBe(0)

  const [backDir, moved] = [join(dataDir, 'back'), await rowsAt(databaseUrl)]
  const settings = { DATABASE_URL: databaseUrl, SIGNET_MASTER_KEY: shared.masterKey, ...env }
  await copy(context, settings, backDir, '--deliver')
  expect(unmarked(await embeddedRows(backDir))).toEqual(unmarked(moved))
  const back = await startSignet({ dataDir: backDir, ...shared })
  life.defer(back.kill)
  expect((await back.as(organization, 'GET', path)).body).toEqual({ result: created.body.result })
  await back.as(organization, 'POST', '/persons', {})
  await receiver.waitFor('/moved', 4)
})

/** Without the epochs, whose end is marked in a copy. */
const unmarked = ({ position_epochs, ...contents }: Record<string, string>) => contents

/** Gives what it said. */
async function copy(life: Life, env: Record<string, string>, ...args: string[]): Promise<string> {
  const { ended, output } = signetCommand(life, env.SIGNET_DATA_DIR ?? '', ['copy', ...args], { env })
  expect(await ended, output()).toBe(0)
  return output()
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

const embeddedRows = (dataDir: string) => onEmbedded(dataDir, contentsOf)
const rowsAt = (databaseUrl: string) => contentsOf({ connectionString: databaseUrl })
