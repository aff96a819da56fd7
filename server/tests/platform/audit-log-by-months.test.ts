import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { listMigrations, migrate } from '../../src/ground/database/migrate.ts'
import { pageOfEntries } from '../../src/identity/audit-log/entry-store.ts'
import { emptyDatabase } from '../support/database.ts'
import { repository, temporaryFolder } from '../support/program.ts'

const organizationId = '0199a3f2-5c00-7000-8000-0242ac120002'
const keyId = '0199a3f2-5c00-7000-8000-0242ac120003'
const migrations = join(repository, 'server/migrations')
const months = '0026_audit_log_by_months.sql'

/** As a process of the release before sends it. */
const insertOfBefore = `
  with held as materialized (select true as is_entered)
  insert into audit_entries (org_id, position, id, at, actor_type, actor_id, actor_name, action, target_type, target_id,
                             before, after, request_id, client_ip_address)
  select $1::uuid, $2::bigint, gen_random_uuid(), $3::timestamptz, 'key'::text, $4::uuid, 'Deployment'::text, $5::text, 'group'::text,
         'staff'::text, $6::json, $7::json, 'request-17'::text, '203.0.113.7'::text
    from held`

test('Entries of before are in the log by months as they were, and a process of the release before goes on writing', async (context) => {
  const connection = await emptyDatabase()
  context.onTestFinished(connection.drop)
  const earlier = temporaryFolder(context)
  for (const name of listMigrations(migrations).filter((each) => each < months))
    copyFileSync(join(migrations, name), join(earlier, name))
  await migrate(connection, async () => {}, earlier)
  const client = new pg.Client(connection)
  await client.connect()
  context.onTestFinished(() => client.end())
  const write = (position: number, at: string, before: object | null, after: object | null) =>
    client.query(insertOfBefore, [organizationId, position, at, keyId, 'changeGroup', before, after])
  await write(1, '2025-12-31T23:59:59.999Z', null, { name: 'staff', groups: [] })
  // A position follows the commit, a time the call.
  await write(2, '2026-01-01T00:00:00.000Z', { name: 'staff' }, { name: 'other' })
  await write(3, '2025-12-31T23:59:59.000Z', { name: 'other' }, null)
  const stored = async () => (await client.query('select * from audit_entries order by position')).rows
  const before = await stored()
  await migrate(connection, async () => {})
  expect(await stored()).toEqual(before)
  const now = new Date().toISOString()
  await write(4, now, { name: 'staff' }, { name: 'staff', description: 'New' })
  const queries = { rows: async (statement: object) => (await client.query(statement as pg.QueryConfig)).rows }
  const page = async (filters: object) =>
    pageOfEntries(
      queries,
      organizationId,
      { action: undefined, actor: undefined, target: undefined, since: undefined, until: undefined, ...filters },
      { before: 5, limit: 10 },
    )
  const shown = await page({})
  expect(shown.map(({ position }) => Number(position))).toEqual([4, 3, 2, 1])
  expect(shown.map(({ before, after }) => [before, after])).toEqual([
    [{ name: 'staff' }, { name: 'staff', description: 'New' }],
    [{ name: 'other' }, null],
    [{ name: 'staff' }, { name: 'other' }],
    [null, { name: 'staff', groups: [] }],
  ])
  const positions = async (filters: object) => (await page(filters)).map(({ position }) => Number(position))
  expect(await positions({ action: 'changeGroup' })).toEqual([4, 3, 2, 1])
  expect(await positions({ actor: { id: keyId } })).toEqual([4, 3, 2, 1])
  expect(await positions({ actor: { type: 'key' }, until: '2026-01-01T00:00:00.000Z' })).toEqual([3, 1])
  expect(await positions({ since: '2026-01-01T00:00:00.000Z' })).toEqual([4, 2])
})
