import pg from 'pg'
import { expect, type TestContext, test } from 'vitest'
import { listMigrations } from '../../src/ground/database/migrate.ts'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { emptyDatabase } from '../support/database.ts'
import { run } from '../support/program.ts'

/** Of the service; nothing of them is stored. */
const settings = {
  SIGNET_BASE_URL: 'https://id.example.com',
  SIGNET_MASTER_KEY: makeMasterKey(),
  SIGNET_OPERATOR_KEY: 'operator-key-for-tests-0123456789',
}
const programOf = [process.execPath, 'server/src/signet.ts', 'migrate']

async function newDatabase(context: TestContext) {
  const { drop, ...database } = await emptyDatabase()
  context.onTestFinished(drop)
  return database
}

async function migrated(context: TestContext, databaseUrl: string, ...options: string[]) {
  const { ended, output } = run(context, [...programOf, ...options], { ...settings, DATABASE_URL: databaseUrl })
  return { code: await ended, output: output() }
}

test('signet migrate applies what is missing, says so line by line without a terminal, and a second run has nothing to do', async (context) => {
  const { url } = await newDatabase(context)
  const all = listMigrations()
  const first = await migrated(context, url)
  const lines = all.map((name, index) => `Applying ${index + 1} of ${all.length}: ${name}`)
  expect([first.code, first.output.trim().split('\n')]).toEqual([0, [...lines, `Migrated: ${all.length} applied`]])
  const again = await migrated(context, url, '--json')
  expect([again.code, JSON.parse(again.output)]).toEqual([0, { type: 'migrated', applied: 0 }])
})

test('Two runs of signet migrate at once apply each migration once', async (context) => {
  const database = await newDatabase(context)
  const both = await Promise.all([migrated(context, database.url), migrated(context, database.url)])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(both.filter(({ output }) => output.includes('Nothing to do'))).toHaveLength(1)
  const client = new pg.Client(database)
  await client.connect()
  const { rowCount } = await client.query('select from schema_migrations')
  const { rowCount: installations } = await client.query('select from installation')
  await client.end()
  expect([rowCount, installations]).toEqual([listMigrations().length, 0])
})

test('Without DATABASE_URL it says what to do', async (context) => {
  const { ended, output } = run(context, programOf, {})
  expect([await ended, output()]).toEqual([
    2,
    'DATABASE_URL: is required; the embedded database is migrated by each start\n',
  ])
})
