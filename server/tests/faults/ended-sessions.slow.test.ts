import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { randomFrom } from '../support/random.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'

const personsAtOnce = 40
const rounds = 5
const random = randomFrom(1)

let database: Awaited<ReturnType<typeof testDatabase>>
let inside: pg.Client
let other: Signet
let organization: Organization
let persons: string[]

// Nothing is sent: what is told stays in the queue.
const start = () =>
  startSignet({ databaseUrl: database.url, env: { SIGNET_ROLES: 'api', SIGNET_BASE_URL: 'http://localhost' } })

beforeAll(async () => {
  database = await testDatabase()
  inside = new pg.Client(database)
  await inside.connect()
  other = await start()
})

afterAll(async () => {
  await inside?.end()
  await other?.stop()
  await database?.drop()
})

beforeEach(async () => {
  organization = await other.organization()
  const fields = {
    name: 'App',
    redirect_uris: ['https://app.example.com/'],
    backchannel_logout_uri: 'https://app.example.com/logout',
  }
  const { client_id } = (await other.as(organization, 'POST', '/organizations/applications', fields)).body.result
  const create = () => other.as(organization, 'POST', '/persons', {})
  const created = await Promise.all(Array.from({ length: personsAtOnce }, create))
  persons = created.map(({ body }) => body.result.person_id)
  await inside.query(
    `insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
     select org_id, id::text, id::text::bytea, id, id, '[]',
            json_build_object('authorizations', json_build_object($2::text, json_build_object('sid', id))), now() + interval '1 hour'
       from persons where org_id = $1`,
    [organization.id, client_id],
  )
})

const endAt = (signet: Signet, personId: string, n: number) =>
  n % 2 === 0
    ? signet.as(organization, 'DELETE', `/persons/${personId}/sessions`)
    : signet.as(organization, 'PATCH', `/persons/${personId}`, { active: false })

/** Of each person: whether there is a session, how many logout tokens, and what tells the administrator. */
async function found() {
  const { rows } = await inside.query(
    `select exists (select from issuer_sessions s where s.org_id = p.org_id and s.person_id = p.id) as session,
            (select count(*)::int from deliveries d where d.org_id = p.org_id and d.content ->> 'sub' = p.id::text) as logouts,
            (select count(*)::int from audit_entries a
              where a.org_id = p.org_id and a.target_id = p.id::text and a.action in ('endPersonSessions', 'changePerson')) as entries
       from persons p where p.org_id = $1`,
    [organization.id],
  )
  return rows as { session: boolean; logouts: number; entries: number }[]
}

const untouched = { session: true, logouts: 0, entries: 0 }
const ended = { session: false, logouts: 1, entries: 1 }

/** Each table is written after the session is removed; whoever locks it holds the process there. */
test.each([
  ['deliveries', 0],
  ['deliveries', 1],
  ['audit_entries', 0],
  ['audit_entries', 1],
])(
  'A process that is killed before it has written %s has neither ended the session nor told of it (%i)',
  async (table, n) => {
    const dying = await start()
    const holder = new pg.Client(database)
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query(`lock table ${table} in share row exclusive mode`)
      const call = endAt(dying, persons[n] as string, n).catch(() => 'cut')
      await expect.poll(isHeld, { timeout: 20_000 }).toBe(true)
      await dying.kill()
      expect(await call).toBe('cut')
      await holder.query('commit')
    } finally {
      await holder.end()
    }
    await expect.poll(isHeld, { timeout: 20_000 }).toBe(false)
    expect(await found()).toEqual(persons.map(() => untouched))
    await Promise.all(persons.map((id, each) => endAt(other, id, each)))
    expect(await found()).toEqual(persons.map(() => ended))
  },
  60_000,
)

async function isHeld(): Promise<boolean> {
  const { rows } = await inside.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}

test('A process that is killed at any moment leaves session and logout token both there or neither', async () => {
  let [before, after] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const dying = await start()
    await inside.query('update persons set active = true where org_id = $1', [organization.id])
    const calls = persons.map((id, n) => endAt(dying, id, n).catch(() => undefined))
    await wait(random() * 60)
    await dying.kill()
    await Promise.all(calls)
    const rows = await found()
    for (const row of rows) expect(row).toEqual(row.session ? untouched : ended)
    before += rows.filter(({ session }) => session).length
    after += rows.filter(({ session }) => !session).length
    if (after > 0 && before > 0) break
  }
  expect(before + after).toBeGreaterThanOrEqual(personsAtOnce)
  await Promise.all(persons.map((id) => other.as(organization, 'DELETE', `/persons/${id}/sessions`)))
  for (const { session, logouts } of await found()) expect([session, logouts]).toEqual([false, 1])
}, 180_000)
