import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../src/ground/database/migrate.ts'
import { emptyDatabase } from '../support/database.ts'

const migrations = join(import.meta.dirname, '../../migrations')
const organization = '01890000-0000-7000-8000-000000000000'
const [ada, bob] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002']
const issuer = 'https://accounts.google.com'

let database: Awaited<ReturnType<typeof emptyDatabase>>
let client: pg.Client
let folder: string

/** The schema as it was before vouchers were rows, with two persons. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  for (const name of readdirSync(migrations).filter((each) => each < '0032'))
    cpSync(join(migrations, name), join(folder, name))
  database = await emptyDatabase()
  client = new pg.Client(database)
  await migrate(database, async () => {}, folder)
  await client.connect()
  await client.query(
    `insert into organizations (id, name, pricing_tier, created_at) values ('${organization}', 'Ours', 'unlimited', now());
     insert into persons (org_id, id, active, region, created_at)
       select '${organization}', id::uuid, true, 'local', now() from unnest('{${ada},${bob}}'::text[]) id`,
  )
})
afterEach(async () => {
  await client.end()
  await database.drop()
  rmSync(folder, { recursive: true })
})

const migrateOn = () => migrate(database, async () => {})

// The statements of the release before.
const insertHandle = (person: string, key: string, vouchedBy: string | null) =>
  client.query(
    `insert into handles (org_id, person_id, type, key, value, verified, vouched_by, position)
     values ($1, $2, 'EmailAddress', $3, $3, $4, $5, 0)`,
    [organization, person, key, vouchedBy !== null, vouchedBy],
  )
const insertIdentity = (person: string, subject: string, email: string) =>
  client.query(
    `insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, email, created_at)
     values ($1, gen_random_uuid(), $2, 'provider_a', $3, $4, $2, $5, now())`,
    [organization, person, issuer, subject, email],
  )
const vouch = (key: string, vouchedBy: string | null) =>
  client.query('update handles set verified = $2, vouched_by = $3 where key = $1', [key, vouchedBy !== null, vouchedBy])
const changeAddress = (subject: string, email: string) =>
  client.query('update identities set email = $2 where subject = $1', [subject, email])

const handles = async () => {
  const { rows } = await client.query(
    `select h.key, h.verified, h.vouched_by, h.given,
            array(select kind from vouchers v where (v.org_id, v.type, v.key) = (h.org_id, h.type, h.key) order by kind) as kinds
       from handles h order by key`,
  )
  return rows.map((row) => [row.key, row.verified, row.vouched_by, row.given, row.kinds])
}
const identities = async () =>
  (await client.query('select subject, email_key, email_verified from identities order by subject')).rows.map(
    ({ subject, email_key, email_verified }) => [subject, email_key, email_verified],
  )

test('Those who vouch become rows, except a provider that names another address by now', async () => {
  await insertIdentity(ada, 'a', 'Ada@Example.com')
  await insertIdentity(bob, 'b', 'new@bücher.example')
  await insertHandle(ada, 'ada@example.com', issuer)
  await insertHandle(ada, 'former@example.com', issuer)
  await insertHandle(ada, 'gone@example.com', 'https://gone.example')
  await insertHandle(ada, 'key@example.com', 'admin_key')
  await insertHandle(ada, 'none@example.com', null)
  await insertHandle(bob, 'new@xn--bcher-kva.example', issuer)
  await migrateOn()
  expect(await handles()).toEqual([
    ['ada@example.com', true, issuer, true, ['identity']],
    ['former@example.com', false, null, true, []],
    ['gone@example.com', false, null, true, []],
    ['key@example.com', true, 'admin_key', true, ['key']],
    ['new@xn--bcher-kva.example', true, issuer, true, ['identity']],
    ['none@example.com', false, null, true, []],
  ])
  expect(await identities()).toEqual([
    ['a', 'ada@example.com', true],
    ['b', 'new@xn--bcher-kva.example', true],
  ])
})

test('What an older process writes beside this one is vouched for, or not, as it says', async () => {
  await migrateOn()
  // A first sign-in writes the handle before the identity, in one transaction.
  await client.query('begin')
  await insertHandle(ada, 'ada@example.com', issuer)
  await insertIdentity(ada, 'a', 'ada@example.com')
  await client.query('commit')
  await insertHandle(bob, 'bob@example.com', 'admin_key')
  await insertHandle(bob, 'none@example.com', null)
  const of = (vouchers: Record<string, [string | null, string[]]>) =>
    Object.entries(vouchers).map(([name, [by, kinds]]) => [`${name}@example.com`, by !== null, by, true, kinds])
  expect(await handles()).toEqual(of({ ada: [issuer, ['identity']], bob: ['admin_key', ['key']], none: [null, []] }))
  await vouch('ada@example.com', null)
  await vouch('bob@example.com', null)
  await vouch('none@example.com', 'admin_key')
  expect(await handles()).toEqual(of({ ada: [null, []], bob: [null, []], none: ['admin_key', ['key']] }))
})

test('An older process reads who vouches as this one writes it, until nobody does any more', async () => {
  await migrateOn()
  await insertIdentity(ada, 'a', 'ada@example.com')
  await client.query(
    `insert into handles (org_id, person_id, type, key, value, verified, given, position)
     values ('${organization}', '${ada}', 'EmailAddress', 'given@example.com', '', false, true, 0),
            ('${organization}', '${ada}', 'EmailAddress', 'told@example.com', '', false, false, 0);
     insert into vouchers (org_id, type, key, kind, identity_id)
       select h.org_id, h.type, h.key, 'identity', i.id from handles h, identities i;
     insert into directories (org_id, id, name, match, adopt, email_domains, on_delete, group_prefix, enabled, created_at)
       values ('${organization}', gen_random_uuid(), 'Corp', 'none', false, '{}', 'delete', '', true, now());
     insert into vouchers (org_id, type, key, kind, directory_id)
       select h.org_id, h.type, h.key, 'directory', d.id from handles h, directories d`,
  )
  const both = ['directory', 'identity']
  expect(await handles()).toEqual([
    ['given@example.com', true, expect.any(String), true, both],
    ['told@example.com', true, expect.any(String), false, both],
  ])
  await client.query(`delete from vouchers where kind = 'directory'`)
  expect((await handles()).map(([, verified, by]) => [verified, by])).toEqual([
    [true, issuer],
    [true, issuer],
  ])
  await client.query('delete from identities')
  expect(await handles()).toEqual([['given@example.com', false, null, true, []]])
})

test('An address that an older process changes is not confirmed, whatever the one before was', async () => {
  await insertIdentity(ada, 'a', 'ada@example.com')
  await insertHandle(ada, 'ada@example.com', issuer)
  await migrateOn()
  expect(await identities()).toEqual([['a', 'ada@example.com', true]])
  await changeAddress('a', 'ada@example.com')
  expect(await identities()).toEqual([['a', 'ada@example.com', true]])
  await changeAddress('a', 'ceo@victim.example')
  expect(await identities()).toEqual([['a', null, false]])
})

test('Deleting a person takes handles, identities and vouchers along, in whatever order PostgreSQL does so', async () => {
  await insertIdentity(ada, 'a', 'ada@example.com')
  await insertHandle(ada, 'ada@example.com', issuer)
  await insertHandle(ada, 'key@example.com', 'admin_key')
  await migrateOn()
  await client.query('update handles set given = false')
  await client.query('delete from persons where id = $1', [ada])
  expect([await handles(), await identities()]).toEqual([[], []])
  expect((await client.query('select from vouchers')).rowCount).toBe(0)
})
