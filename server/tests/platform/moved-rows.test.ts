import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/ground/database/database.ts'
import { migrate } from '../../src/ground/database/migrate.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makePartitions, makePartitionsOf } from '../../src/ground/database/time-partitions.ts'
import { createPositions } from '../../src/ground/positions/index.ts'
import { dayMs } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { createRecorder } from '../../src/identity/audit-log/index.ts'
import { createHandleHashes } from '../../src/identity/persons/index.ts'
import { initializeInstallation } from '../../src/operator/installation/index.ts'
import { type Cell, moveIn, moveOut } from '../../src/operator/move/index.ts'
import { readDump, readNotes } from '../schema-dump/kept-dump.ts'
import { emptyDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/program.ts'
import { makeKeyring } from '../support/service.ts'

const { baseUrl, masterKey, organization } = readNotes()
const operator = { type: 'operator', id: null, name: null } as const

async function startCell(text: string, keyring = makeKeyring()) {
  const connection = await emptyDatabase()
  onTestFinished(connection.drop)
  const restoring = new pg.Client(connection)
  await restoring.connect()
  await restoring.query(text)
  // A dump sets a search path of its own.
  await restoring.end()
  await migrate(connection, (tx) =>
    initializeInstallation(tx, { baseUrl, baseUrlIsDefault: false, acceptBaseUrl: undefined }, keyring),
  )
  const database = openDatabase(connection)
  onTestFinished(() => database.close())
  await createPositions({ database }).enter()
  const clock = { now: () => Date.now() }
  const record = createRecorder({ clock, keyring })
  const cell: Cell = {
    database,
    clock,
    keyring,
    operatorGroup: undefined,
    recordAs: (action) => record({ actor: operator, action, requestId: null, clientAddress: null }),
  }
  return cell
}

/** Rows of the organization by table. */
async function rowsIn({ database }: Cell): Promise<Record<string, number>> {
  const run = <Row>(text: string, values: string[] = []) => database.write.rows<Row>({ name: '', text, values })
  const tables = await run<{ name: string }>(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = 'org_id' and c.relkind in ('r', 'p') and not c.relispartition order by 1`)
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await run<{ count: number }>(`select count(*) from ${name} where org_id = $1`, [organization.id])
    counts[name] = row?.count ?? 0
  }
  return counts
}

test('A move brings the rows of every table that an organization has', async (context) => {
  const former = await startCell(readDump(), makeKeyring(masterKey))
  const next = await startCell('')
  const options = {
    file: join(temporaryFolder(context), 'organization'),
    passphrase: 'a passphrase of this test',
    onProgress: () => {},
  }
  // Of a month of which the next cell has no partition.
  await makePartitionsOf(former.database, { audit_entries: [Date.UTC(2020, 1, 29) / dayMs] })
  await former.database.write.rows(sql`
    insert into audit_entries (org_id, position, id, at, actor_type, action, target_type, target_id)
    values (${organization.id}, nextval('positions'), gen_random_uuid(), '2020-02-29T23:59:59.999Z', 'operator', 'x', 'x', 'x')`)
  await moveOut(former, organization.id, options)
  const before = await rowsIn(former)
  await moveIn(next, options)
  const after = await rowsIn(next)
  expect(before.handles).toBeGreaterThan(0)
  expect(after).toEqual({
    ...before,
    console_sessions: 0,
    // The step in, and what cursors of the former cell stand for.
    audit_entries: (before.audit_entries as number) + 1,
    moved_positions: after.moved_positions,
  })
})

test('A move has addresses of sign-ins found under the master key of the next cell, and leaves the hash where there is none', async (context) => {
  const former = await startCell(readDump(), makeKeyring(masterKey))
  const next = await startCell('')
  const options = {
    file: join(temporaryFolder(context), 'organization'),
    passphrase: 'a passphrase of this test',
    onProgress: () => {},
  }
  const [address, type] = ['Jo@Example.com', 'EmailAddress'] as const
  const hash = createHandleHashes(former.keyring).ofHandle(organization.id, type, address)
  await makePartitions(former.database, Date.now())
  for (const value of [address, null])
    await former.database.write.rows(sql`
      insert into events (org_id, id, name, payload, position, outcome, handle_type, handle_hash, handle_value, handle_verified)
      values (${organization.id}, ${makeId(Date.now())}, 'AuthenticationSucceeded_v1', '{}', nextval('positions'), 'succeeded',
              ${type}, ${hash}, ${value}, true)`)
  await moveOut(former, organization.id, options)
  await moveIn(next, options)
  const rows = await next.database.write.rows(sql<{ handle_hash: string; handle_value: string | null }>`
    select handle_hash, handle_value from events where org_id = ${organization.id} and handle_hash is not null order by id`)
  const expected = createHandleHashes(next.keyring).ofHandle(organization.id, type, 'jo@example.com')
  expect(expected).not.toBe(hash)
  expect(rows).toEqual([
    { handle_hash: expected, handle_value: address },
    { handle_hash: hash, handle_value: null },
  ])
})
