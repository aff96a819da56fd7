import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { refused } from '../support/refused.ts'
import { type Answer, type Organization, type Signet, startSignet } from '../support/signet.ts'

const clients = 20
const folder = mkdtempSync(join(tmpdir(), 'signet-tiers-'))
const tight = { max_groups: 7, max_persons: 7, max_webhooks: 7 }

let database: Awaited<ReturnType<typeof testDatabase>>
/** Two processes on one database: nothing that holds may hold within one process only. */
let signets: Signet[]
let ours: Organization
let inside: pg.Client

beforeAll(async () => {
  const tiersFile = join(folder, 'tiers.json')
  writeFileSync(tiersFile, JSON.stringify({ tight }))
  database = await testDatabase()
  const env = { SIGNET_TIERS: tiersFile }
  const first = await startSignet({ databaseUrl: database.url, env })
  const second = await startSignet({ databaseUrl: database.url, env: { ...env, SIGNET_BASE_URL: first.baseUrl } })
  signets = [first, second]
  inside = new pg.Client(database)
  await inside.connect()
})

afterAll(async () => {
  await Promise.all([...(signets ?? []).map((signet) => signet.stop()), inside?.end()])
  await database?.drop()
  rmSync(folder, { recursive: true })
})

beforeEach(() => newOrganization())

async function newOrganization(pricing_tier = 'unlimited') {
  ours = (await signets[0]?.organization({ pricing_tier })) as Organization
}

let requests = 0
/** Of the two processes in turn. */
const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  (signets[requests++ % signets.length] as Signet).as(ours, method, path, body)

const atOnce = (count: number, request: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => request(index)))

const newGroups = (names: string[]) => Promise.all(names.map((name) => ask('POST', '/groups', { name })))
const newPerson = async (fields: object = {}): Promise<string> =>
  (await ask('POST', '/persons', fields)).body.result.person_id
const groupsOf = async (person: string): Promise<string[]> =>
  (await ask('GET', `/persons/${person}/groups`)).body.result

/** How often each status was answered: `{ 201: 1, 409: 19 }`. */
function statusesOf(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Holds a row while the requests are sent, and lets go of it once all of them wait for it, and `meanwhile` is done. */
async function allWaitingFor(
  row: string,
  requests: (() => Promise<Answer>)[],
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Answer[]> {
  await inside.query('begin')
  await inside.query(`${row} for update`)
  const answers = requests.map((request) => request())
  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  // A statement of the same transaction would see the same activity again.
  const watching = new pg.Client(database)
  await watching.connect()
  await expect.poll(async () => (await watching.query(waiting)).rows[0].count).toBe(requests.length)
  await watching.end()
  await meanwhile()
  await inside.query('rollback')
  return Promise.all(answers)
}

describe("Twenty clients that set one person's groups at once", () => {
  const sets = Array.from({ length: clients }, (_, index) => [`own-${index}`, 'shared'])
  const names = [...sets.map(([own]) => own as string), 'shared']

  // Proves 4.4, rule 1/1.
  test('The groups end as one of the sets, and each client is answered with its own set (4.4)', async () => {
    await newGroups(names)
    const person = await newPerson()
    for (let round = 0; round < 5; round++) {
      const answers = await atOnce(clients, (index) => ask('PUT', `/persons/${person}/groups`, { groups: sets[index] }))
      expect(answers.map(({ status, body }) => [status, body.result])).toEqual(sets.map((set) => [200, set]))
      expect(sets).toContainEqual(await groupsOf(person))
    }
  })

  // Proves 4.4, rule 1/1.
  test('The groups end as one of the sets while a group is deleted and created again: 200, or 400 that names the group (4.4)', async () => {
    await newGroups(names)
    const person = await newPerson()
    const refusal = refused(400, 'groups[1]: shared does not exist')
    let isOver = false
    const deleteAndMake = async () => {
      while (!isOver)
        for (const change of [() => ask('DELETE', '/groups/shared'), () => ask('POST', '/groups', { name: 'shared' })])
          expect([200, 201]).toContain((await change()).status)
    }
    const setAgainAndAgain = async (index: number) => {
      const answers: Answer[] = []
      for (let round = 0; round < 10; round++)
        answers.push(await ask('PUT', `/persons/${person}/groups`, { groups: sets[index] }))
      return answers
    }
    const changing = deleteAndMake()
    const answers = (await Promise.all(sets.map((_, index) => setAgainAndAgain(index)))).flat()
    isOver = true
    await changing

    for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(refusal)
    // A set that was made before the last deletion has lost that group and nothing else.
    const left = await groupsOf(person)
    expect(sets.map(([own]) => own)).toContain(left[0])
    expect([[], ['shared']]).toContainEqual(left.slice(1))
  })
})

describe.each(['unlimited', 'tight'])('Twenty requests at once on the tier %s', (tier) => {
  beforeEach(() => newOrganization(tier))

  // Proves 4.3/8.
  test('Twenty requests that create the same group create one, and each is 201 (4.3)', async () => {
    const answers = await atOnce(clients, (index) => ask('POST', '/groups', { name: 'staff', description: `${index}` }))
    expect(statusesOf(answers)).toEqual({ 201: clients })
    const { body } = await ask('GET', '/groups/staff')
    for (const answer of answers) expect(answer.body).toEqual(body)
  })

  test('Twenty requests that create a person with the same handle create one, and the others are 409', async () => {
    const handles = ['EmailAddress', 'PhoneNumber'].map((type, index) => ({
      type,
      value: ['jo@example.com', '+123'][index],
    }))
    const answers = await atOnce(clients, (index) =>
      ask('POST', '/persons', { handles: index % 2 ? handles : handles.toReversed() }),
    )
    expect(statusesOf(answers)).toEqual({ 201: 1, 409: clients - 1 })
    expect((await ask('GET', '/persons')).body.meta.pagination.total_count).toBe(1)
    const { rows } = await inside.query('select name from events where org_id = $1', [ours.id])
    expect(rows).toEqual([{ name: 'PersonCreated_v1' }])
  })

  test('Twenty requests that create a webhook with the same target create one, and the others are 409 (2.4)', async () => {
    const target_url = 'https://example.com/hook'
    const answers = await atOnce(clients, (index) =>
      ask('POST', '/organizations/webhooks', { name: `${index}`, target_url }),
    )
    expect(statusesOf(answers)).toEqual({ 201: 1, 409: clients - 1 })
    expect((await ask('GET', '/organizations/webhooks')).body.result).toHaveLength(1)
  })
})

describe('Fifty creations at once', () => {
  // Proves 4.3/11.
  test.each<[string, (index: number) => Promise<Answer>]>([
    ['groups', (index) => ask('POST', '/groups', { name: `group-${index}` })],
    ['persons', () => ask('POST', '/persons', {})],
    [
      'webhooks',
      (index) => ask('POST', '/organizations/webhooks', { name: 'x', target_url: `https://example.com/${index}` }),
    ],
  ])('Fifty creations of %s reach the limit of the tier and do not pass it (4.3, 402)', async (what, create) => {
    await newOrganization('tight')
    expect(statusesOf(await atOnce(50, create))).toEqual({ 201: 7, 402: 43 })
    const { body } = await ask('GET', '/organizations/quota/usage')
    expect(body.result[what]).toEqual({ used: 7, limit: 7 })
  })
})

describe('Two requests at the same moment', () => {
  test('One of two requests that delete a person succeeds, the other finds none, and there is one event', async () => {
    await newGroups(['staff'])
    const person = await newPerson({ groups: ['staff'], handles: [{ type: 'EmailAddress', value: 'jo@example.com' }] })
    const remove = () => ask('DELETE', `/persons/${person}`)
    const answers = await allWaitingFor(`select from persons where id = '${person}'`, [remove, remove])
    expect(statusesOf(answers)).toEqual({ 204: 1, 404: 1 })
    const { rows } = await inside.query(
      `select payload::json -> 'handles' -> 0 ->> 'value' as handle, payload::json -> 'groups' as groups
         from events where org_id = $1 and name = 'PersonDeleted_v1'`,
      [ours.id],
    )
    expect(rows).toEqual([{ handle: 'jo@example.com', groups: ['staff'] }])
  })

  test('One of two requests that revoke the last two keys which may write succeeds, the other is 409', async () => {
    const { body: made } = await ask('POST', '/organizations/api-keys', {})
    const { body: listed } = await ask('GET', '/organizations/api-keys')
    const revocations = listed.result.map(
      (key: { id: string }) => () => ask('DELETE', `/organizations/api-keys/${key.id}`),
    )
    const answers = await allWaitingFor(`select from organizations where id = '${ours.id}'`, revocations)
    expect(statusesOf(answers)).toEqual({ 204: 1, 409: 1 })
    const left = [ours, { ...ours, apiKey: made.result.api_key }].map((key) => signets[0]?.as(key, 'GET', '/groups'))
    expect((await Promise.all(left)).map((answer) => answer?.status).toSorted()).toEqual([200, 401])
  })

  test('A webhook that is created while the deletion of its organization waits for a lane is not left to be called', async () => {
    const [signet] = signets as [Signet]
    const newWebhook = (name: string) =>
      ask('POST', '/organizations/webhooks', { name, target_url: `https://${name}.example.com/` })
    const remove = () => signet.operate('DELETE', `/organizations/${ours.id}`)
    await newWebhook('first')
    const answers = await allWaitingFor(`select from lanes where org_id = '${ours.id}'`, [remove], async () =>
      expect(await newWebhook('second')).toMatchObject({ status: 201 }),
    )
    expect(statusesOf(answers)).toEqual({ 204: 1 })
    expect((await inside.query(`select from lanes where org_id = '${ours.id}'`)).rowCount).toBe(0)
  })

  test('One of two requests that delete an organization succeeds, the other finds none', async () => {
    const remove = () => (signets[requests++ % 2] as Signet).operate('DELETE', `/organizations/${ours.id}`)
    const answers = await allWaitingFor(`select from organizations where id = '${ours.id}'`, [remove, remove])
    expect(statusesOf(answers)).toEqual({ 204: 1, 404: 1 })
  })
})

describe('Twenty clients that do everything at once with a few groups and persons', () => {
  const names = ['aa', 'bb', 'cc']
  /** Lawful answers of each; a thing may be gone at any moment. */
  const lawful: Record<string, number[]> = {
    GET: [200, 404],
    POST: [201, 400, 404],
    PUT: [200, 400, 404],
    PATCH: [200, 404],
    DELETE: [200, 204, 404],
  }

  test('Twenty clients are never answered 500, and members and groups agree at the end', async () => {
    await newGroups(names)
    const persons = await Promise.all(Array.from({ length: 4 }, () => newPerson({ groups: names })))
    const one = <Item>(list: Item[]) => list[Math.floor(Math.random() * list.length)] as Item
    const some = <Item>(list: Item[]) => list.filter(() => Math.random() < 0.6)
    const actions: (() => [string, string, unknown?])[] = [
      () => ['PUT', `/persons/${one(persons)}/groups`, { groups: some(names) }],
      () => ['POST', `/persons/${one(persons)}/groups`, { groups: some(names).toReversed() }],
      () => ['DELETE', `/persons/${one(persons)}/groups/${one(names)}`],
      () => ['POST', `/groups/${one(names)}/persons`, { persons: some(persons).toReversed() }],
      () => ['DELETE', `/groups/${one(names)}/persons/${one(persons)}`],
      () => ['PATCH', `/persons/${one(persons)}`, { active: Math.random() < 0.5, handles: [] }],
      () => ['PATCH', `/groups/${one(names)}`, { description: 'x' }],
      () => ['DELETE', `/groups/${one(names)}`],
      () => ['POST', '/groups', { name: one(names) }],
      () => ['POST', '/groups', { name: one(names) }],
      () => ['POST', '/persons', { groups: some(names) }],
      () => ['GET', `/groups/${one(names)}/persons`],
      () => ['GET', '/persons?limit=5'],
    ]
    const client = async () => {
      for (let round = 0; round < 40; round++) {
        const [method, path, body] = one(actions)()
        const { status } = await ask(method, path, body)
        expect(lawful[method], `${method} ${path}: ${status}`).toContain(status)
      }
    }
    // Some persons go away meanwhile, each once.
    const leave = async () => {
      for (const person of persons.splice(0, 2)) expect((await ask('DELETE', `/persons/${person}`)).status).toBe(204)
    }
    await Promise.all([...Array.from({ length: clients }, client), leave()])

    for (const name of (await ask('GET', '/groups')).body.result) {
      const members = (await ask('GET', `/groups/${name}/persons?limit=1000`)).body.result
      const all = (await ask('GET', '/persons?limit=1000')).body.result
      const inGroup = all.filter((person: { groups: string[] }) => person.groups.includes(name))
      expect(members).toEqual(inGroup.map((person: { person_id: string }) => person.person_id))
    }
  })
})
