import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { migrate } from '../../src/ground/database/migrate.ts'
import { emptyDatabase } from '../support/database.ts'

const migrations = join(import.meta.dirname, '../../migrations')
const organization = '01890000-0000-7000-8000-000000000000'
const person = (n: number) => `01890000-0000-7000-8000-00000000000${n}`

/** The schema as it was before keys were composed. */
function earlierMigrations(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  for (const name of readdirSync(migrations).filter((each) => each < '0024'))
    cpSync(join(migrations, name), join(folder, name))
  return folder
}

type Handle = { of: number; key: string; verified?: boolean }

async function migrated(handles: Handle[]) {
  const database = await emptyDatabase()
  const client = new pg.Client(database)
  const folder = earlierMigrations()
  try {
    await migrate(database, async () => {}, folder)
    await client.connect()
    await client.query(
      `insert into organizations (id, name, pricing_tier, created_at) values ($1, 'Ours', 'unlimited', now())`,
      [organization],
    )
    for (const of of new Set(handles.map((each) => each.of)))
      await client.query(
        `insert into persons (org_id, id, active, region, created_at) values ($1, $2, true, 'local', now())`,
        [organization, person(of)],
      )
    for (const { of, key, verified = false } of handles)
      await client.query(
        `insert into handles (org_id, person_id, type, key, value, verified, position)
         select $1, $2, 'EmailAddress', $3, 'As given', $4, count(*) from handles`,
        [organization, person(of), key, verified],
      )
    await migrate(database, async () => {})
    const { rows } = await client.query(`select person_id, key, value from handles order by position`)
    expect(rows.map(({ value }) => value)).toEqual(handles.map(() => 'As given'))
    return rows.map(({ person_id, key }) => [Number(person_id.slice(-1)), key])
  } finally {
    await client.end()
    await database.drop()
    rmSync(folder, { recursive: true })
  }
}

const decomposed = 'jose\u0301@example.com'
const composed = 'jos\u00e9@example.com'

test('The keys of handles are composed, and those that are composed stay', async () => {
  const kelvin = '\u212a1@example.com'
  const handles = [decomposed, kelvin, '\u00c9ve@example.com', 'jo@example.com'].map((key, of) => ({ of, key }))
  expect(await migrated(handles)).toEqual([
    [0, composed],
    [1, 'k1@example.com'],
    [2, '\u00c9ve@example.com'],
    [3, 'jo@example.com'],
  ])
})

test('Of two who have one address in two spellings, the one who has it composed keeps it, and the other keeps the handle', async () => {
  const handles = [
    { of: 1, key: decomposed, verified: true },
    { of: 2, key: composed },
  ]
  expect(await migrated(handles)).toEqual([
    [1, decomposed],
    [2, composed],
  ])
})

test('Of two spellings of which none is composed, that which is vouched for becomes the address, else the older person’s', async () => {
  const [one, other, composedBoth] = ['e\u0323\u0302@example.com', 'e\u0302\u0323@example.com', '\u1ec7@example.com']
  expect(
    await migrated([
      { of: 1, key: one },
      { of: 2, key: other, verified: true },
    ]),
  ).toEqual([
    [1, one],
    [2, composedBoth],
  ])
  expect(
    await migrated([
      { of: 2, key: one },
      { of: 1, key: other },
    ]),
  ).toEqual([
    [2, one],
    [1, composedBoth],
  ])
})
