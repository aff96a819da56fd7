import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'
import { type Wire, watchWire } from '../support/wire.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let wire: Wire
let signet: Signet
let stored: pg.Client

beforeAll(async () => {
  database = await testDatabase()
  wire = await watchWire(database)
  signet = await startSignet({ databaseUrl: wire.url })
  stored = new pg.Client(database)
  await stored.connect()
})
afterAll(async () => {
  await signet?.stop()
  await Promise.all([wire?.stop(), stored?.end()])
  await database?.drop()
})

const email = (value: string) => ({ type: 'EmailAddress', value })
const count = async (table: string, { id }: Organization): Promise<number> =>
  (await stored.query(`select count(*)::int as count from ${table} where org_id = $1`, [id])).rows[0].count
const countAll = async (organization: Organization) => ({
  persons: await count('persons', organization),
  events: await count('events', organization),
  entries: await count('audit_entries', organization),
})

/** The answer, and the transaction whose statements write that table. */
async function watched(table: string, call: () => ReturnType<Signet['as']>) {
  wire.ended()
  const answer = await call()
  const found = wire.ended()
  const writes = () => found.filter(({ statements }) => statements.some((each) => each.includes(table)))
  await expect
    .poll(() => {
      found.push(...wire.ended())
      return writes().length
    })
    .toBe(1)
  const [{ waits, end }] = writes() as [(typeof found)[number]]
  return { answer, waits, end }
}

test('Nobody waits for Signet in the transaction of POST /persons or of test events: its statements and `commit` are one message', async () => {
  const organization = await signet.organization()
  const ask = (method: string, path: string, body: unknown) => signet.as(organization, method, path, body)
  const calls: [path: string, body: unknown][] = [
    ['/persons', {}],
    ['/persons', { handles: [email('one@example.com')] }],
    ['/test-events', [{ event_name: 'PersonCreated_v1' }]],
  ]
  for (const [path, body] of calls) {
    const { answer, waits, end } = await watched('insert into events', () => ask('POST', path, body))
    expect({ path, status: answer.status, waits, end }).toEqual({ path, status: 201, waits: 0, end: 'COMMIT' })
  }
})

test('PostgreSQL waits for Signet once in the transaction of a change that needs what was there before, and once more where somebody enters or leaves groups that a directory may keep', async () => {
  const organization = await signet.organization({ pricing_tier: 'free' })
  const ask = (method: string, path: string, body?: unknown) => signet.as(organization, method, path, body)
  await ask('POST', '/groups', { name: 'staff' })
  const entry = 'insert into audit_entries'
  const created = await watched(entry, () => ask('POST', '/persons', {}))
  const joined = await watched(entry, () => ask('POST', '/persons', { groups: ['staff'] }))
  const person = `/persons/${created.answer.body.result.person_id}`
  const webhook = { name: 'x', target_url: 'https://x.example/1' }
  const set = await watched(entry, () => ask('PUT', `${person}/groups`, { groups: ['staff'] }))
  const left = await watched(entry, () => ask('DELETE', `${person}/groups/staff`))
  const changes = [
    created,
    await watched(entry, () => ask('DELETE', person)),
    await watched(entry, () => ask('PATCH', '/groups/staff', { description: 'x' })),
    await watched(entry, () => ask('DELETE', '/groups/staff')),
  ]
  expect(changes.map(({ answer, waits, end }) => [answer.status, waits, end])).toEqual(
    [201, 204, 200, 200].map((status) => [status, 1, 'COMMIT']),
  )
  expect([joined, set, left].map(({ answer, waits, end }) => [answer.status, waits, end])).toEqual(
    [201, 200, 200].map((status) => [status, 2, 'COMMIT']),
  )
  // Its tier limits webhooks, which are counted first.
  const { waits } = await watched(entry, () => ask('POST', '/organizations/webhooks', webhook))
  expect(waits).toBe(2)
})

test('A handle that is taken rolls back all that was sent with it, and each such handle is named', async () => {
  const organization = await signet.organization()
  const create = (...handles: object[]) => signet.as(organization, 'POST', '/persons', { handles })
  await create(email('first@example.com'))
  await create(email('third@example.com'))
  const before = await countAll(organization)
  const { answer, waits, end } = await watched('insert into events', () =>
    create(email('first@example.com'), email('second@example.com'), email('Third@example.com')),
  )
  expect(answer).toMatchObject(
    refused(409, 'handles[0].value: is already in use', 'handles[2].value: is already in use'),
  )
  expect({ waits, end }).toEqual({ waits: 0, end: 'ROLLBACK' })
  expect(await countAll(organization)).toEqual(before)
  expect((await create(email('second@example.com'))).status).toBe(201)
})

test('Of persons created at once with the same handles one is, with one event and one entry; nothing else fails', async () => {
  const organization = await signet.organization()
  const before = await countAll(organization)
  const handles = ['a', 'b', 'c'].map((name) => email(`${name}@example.com`))
  for (let round = 1; round <= 5; round++) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        signet.as(organization, 'POST', '/persons', { handles: n % 2 ? handles : handles.toReversed() }),
      ),
    )
    const [winner, ...more] = answers.filter(({ status }) => status === 201)
    expect(more).toEqual([])
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
    expect(await countAll(organization)).toEqual({
      persons: 1,
      events: before.events + 2 * round - 1,
      entries: before.entries + 2 * round - 1,
    })
    await signet.as(organization, 'DELETE', `/persons/${winner?.body.result.person_id}`)
  }
})

test('Whoever asks for a handle or a group while others come and go gets it, or is told that it is taken or missing', async () => {
  const organization = await signet.organization()
  const ask = (method: string, path: string, body?: unknown) => signet.as(organization, method, path, body)
  const statuses = new Set<number>()
  const comeAndGo = async () => {
    for (let round = 0; round < 15; round++) {
      const { status, body } = await ask('POST', '/persons', { handles: [email('jo@example.com')], groups: ['team'] })
      statuses.add(status)
      if (status === 201) await ask('DELETE', `/persons/${body.result.person_id}`)
    }
  }
  const regroup = async () => {
    for (let round = 0; round < 15; round++) {
      await ask('POST', '/groups', { name: 'team' })
      await ask('DELETE', '/groups/team')
    }
  }
  await Promise.all([comeAndGo(), comeAndGo(), comeAndGo(), comeAndGo(), regroup()])
  expect([201, 400, 409]).toEqual(expect.arrayContaining([...statuses]))
})

test('A connection that is lost after `commit` was sent is 503, and says that the change may have been made', async () => {
  const organization = await signet.organization()
  const create = (of: Organization, value: string) => signet.as(of, 'POST', '/persons', { handles: [email(value)] })
  const before = await countAll(organization)
  wire.cutAfter('uncertain@example.com')
  expect(await create(organization, 'uncertain@example.com')).toMatchObject(
    refused(503, 'service: temporarily unavailable; the change may have been made, so check before you try again'),
  )
  // The answer was lost, and not the change.
  const after = { persons: before.persons + 1, events: before.events + 1, entries: before.entries + 1 }
  await expect.poll(() => countAll(organization)).toEqual(after)
})
