import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { waitingStatements } from '../support/administrators.ts'
import {
  ask,
  closeDirectories,
  corp,
  get,
  groupsChanged,
  groupsOf,
  inside,
  jo,
  kim,
  membersOf,
  newDirectory,
  newGroup,
  openDirectories,
  ours,
  patch,
  personsIn,
  post,
  put,
  sorted,
} from '../support/own-groups.ts'

beforeAll(openDirectories)
afterAll(closeDirectories)
beforeEach(newDirectory)

/** Ids of new users of the directory. */
async function newUsers(count: number): Promise<string[]> {
  const { rows } = await inside.query<{ id: string }>(
    `with made as (
       insert into persons (org_id, id, active, region, created_at)
       select $1, gen_random_uuid(), true, 'local', now() from generate_series(1, $3::int) returning id
     )
     insert into directory_users (org_id, directory_id, person_id, user_name, user_name_key, adopted, attributes, created_at, updated_at)
     select $1, $2, id, id, id, false, '{}', now(), now() from made returning person_id as id`,
    [ours.id, corp.id, count],
  )
  return rows.map(({ id }) => id)
}

const deadlocks = async () => {
  const { rows } = await inside.query('select deadlocks from pg_stat_database where datname = current_database()')
  return rows[0].deadlocks
}

const shuffled = (ids: string[]) => ids.toSorted(() => Math.random() - 0.5)

test('94: Two that add 500 members each at the same moment add all, without a deadlock, whatever their order', async () => {
  const staff = await newGroup('Staff')
  const other = await newGroup('Other')
  const users = await newUsers(1_000)
  const before = await deadlocks()
  const adding = (ids: string[]) => ({ op: 'add', path: 'members', value: membersOf(...shuffled(ids)) })
  const changes = await Promise.all([
    patch(staff.id, adding(users.slice(0, 500))),
    patch(staff.id, adding(users.slice(500))),
    // The same persons join another group meanwhile, in other orders.
    patch(other.id, adding(users)),
    patch(other.id, adding(users)),
  ])
  expect(changes.map(({ status }) => status)).toEqual([204, 204, 204, 204])
  for (const { name } of [staff, other]) expect(await personsIn(name)).toEqual(sorted(...users))
  expect(await deadlocks()).toEqual(before)
  const { rows } = await inside.query(
    `select count(*)::int, count(distinct payload::json ->> 'person_id')::int as persons from events where org_id = $1 and name = 'PersonGroupsChanged_v1'`,
    [ours.id],
  )
  expect(rows).toEqual([{ count: 2_000, persons: 1_000 }])
})

test('Replacements at the same moment follow each other: the group is what one of them says, and the events lead there', async () => {
  const { id, name } = await newGroup('Staff')
  const users = await newUsers(40)
  const wanted = Array.from({ length: 8 }, (_, index) => users.slice(index * 4, index * 4 + 12))
  const answers = await Promise.all(wanted.map((ids) => put(id, { displayName: 'Staff', members: membersOf(...ids) })))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  const persons = await personsIn(name)
  expect(wanted.map((ids) => sorted(...ids))).toContainEqual(persons)
  const told = new Set<string>()
  for (const { person_id, added } of await groupsChanged()) {
    expect(told.has(person_id)).toBe(added.length === 0)
    if (added.length > 0) told.add(person_id)
    else told.delete(person_id)
  }
  expect(sorted(...told)).toEqual(persons)
})

test('Who is deleted while groups change is in none, and nothing fails', async () => {
  const { id, name } = await newGroup('Staff')
  const users = await newUsers(30)
  const value = membersOf(...users)
  const changes = await Promise.all([
    patch(id, { op: 'add', path: 'members', value }),
    ...users.slice(0, 10).map((user) => ask('DELETE', `/persons/${user}`)),
    patch(id, { op: 'remove', path: 'members', value }),
    patch(id, { op: 'add', path: 'members', value: value.slice(10) }),
  ])
  for (const { status } of changes) expect([204, 400]).toContain(status)
  await patch(id, { op: 'replace', path: 'members', value: value.slice(10) })
  expect(await personsIn(name)).toEqual(sorted(...users.slice(10)))
  const { rows } = await inside.query('select members_count from directory_groups where org_id = $1', [ours.id])
  expect(rows).toEqual([{ members_count: 20 }])
})

test('With If-Match one of many changes at the same moment is made', async () => {
  const { id } = await newGroup('Staff')
  const names = Array.from({ length: 6 }, (_, index) => `Name ${index}`)
  const answers = await Promise.all(names.map((displayName) => put(id, { displayName }, { 'if-match': 'W/"1"' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(412)])
  expect((await get(id)).headers.get('etag')).toBe('W/"2"')
})

test('92: Whoever sets the groups of a person meanwhile takes nobody out of a directory’s group, and brings nobody back', async () => {
  const { id, name } = await newGroup('Staff', jo)
  await ask('POST', '/groups', { name: 'own' })
  const set = (groups: string[]) => ask('PUT', `/persons/${jo}/groups`, { groups })
  for (let round = 0; round < 6; round++) {
    const isIn = round % 2 === 0
    const op = isIn ? 'remove' : 'add'
    const [change, ...sets] = await Promise.all([
      patch(id, { op, path: 'members', value: membersOf(jo) }),
      set(['own']),
      set(['own', name]),
      set([]),
      set([name]),
    ])
    expect(change?.status).toBe(204)
    for (const { status } of sets) expect([200, 400]).toContain(status)
    expect((await groupsOf(jo)).includes(name)).toBe(!isIn)
  }
})

test('92: A directory that takes somebody out waits for whoever is setting the groups of that person', async () => {
  const { id, name } = await newGroup('Staff', jo)
  await inside.query('begin')
  await inside.query('select from persons where org_id = $1 and id = $2 for no key update', [ours.id, jo])
  const change = patch(id, { op: 'remove', path: 'members', value: membersOf(jo) })
  await expect.poll(async () => (await inside.query(waitingStatements)).rows[0].count, { timeout: 10_000 }).toBe(1)
  expect(await groupsOf(jo)).toEqual([name])
  await inside.query('commit')
  expect((await change).status).toBe(204)
  expect(await groupsOf(jo)).toEqual([])
})

test('Creation of the same group at the same moment makes one, with its members once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => post({ displayName: 'Staff', members: membersOf(jo, kim) })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)])
  expect((await ask('GET', '/groups')).body.result).toEqual(['Staff'])
  expect(await groupsChanged()).toHaveLength(2)
})
