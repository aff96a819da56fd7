import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  closeDirectories,
  corp,
  get,
  inside,
  membersOf,
  newDirectory,
  newGroup,
  openDirectories,
  ours,
  patch,
  put,
  scimError,
  signet,
} from '../support/own-groups.ts'

const many = 50_000
const everyone = '00000000-0000-7000-8000-00000000000e'
const idOf = (n: number) => `00000000-0000-7000-9000-${String(n).padStart(12, '0')}`
const idsOf = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => idOf(from + index))

/** A group of 50,000, and ten users in none. */
beforeAll(async () => {
  await openDirectories()
  await newDirectory()
  const id = `('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid`
  const rows = (count: number) => `generate_series(0, ${count - 1}) n`
  for (const text of [
    `insert into persons (org_id, id, active, region, created_at) select '${ours.id}', ${id}, true, 'local', now() from ${rows(many + 10)}`,
    `insert into directory_users (org_id, directory_id, person_id, user_name, user_name_key, adopted, attributes, created_at, updated_at)
       select '${ours.id}', '${corp.id}', ${id}, n::text, n::text, false, '{}', now(), now() from ${rows(many + 10)}`,
    `insert into groups select '${ours.id}', 'everyone', '', now()`,
    `insert into groups select '${ours.id}', 'group-' || n, '', now() from ${rows(1_000)}`,
    `insert into directory_groups (org_id, directory_id, id, group_name, display_name, display_key, tied, members_count, created_at, updated_at)
       values ('${ours.id}', '${corp.id}', '${everyone}', 'everyone', 'Everyone', 'everyone', false, ${many}, now(), now())`,
    `insert into directory_groups (org_id, directory_id, id, group_name, display_name, display_key, external_id, tied, members_count, created_at, updated_at)
       select '${ours.id}', '${corp.id}', ${id}, 'group-' || n, 'Group ' || n, 'group ' || n, 'ext-' || n, false, 10, now(), now() from ${rows(1_000)}`,
    `insert into memberships (org_id, person_id, group_name) select '${ours.id}', ${id}, 'everyone' from ${rows(many)}`,
    `insert into memberships (org_id, person_id, group_name) select '${ours.id}', ${id}, 'group-' || n % 1000 from ${rows(10_000)}`,
  ])
    await inside.query(text)
}, 60_000)
afterAll(closeDirectories)

test('76: Without members none are read, and with them all are', async () => {
  expect((await get(everyone, '?excludedAttributes=members')).body).not.toHaveProperty('members')
  expect((await get(everyone)).body.members).toHaveLength(many)
})

test('95: A full replacement with ten changes writes ten, and tells ten', async () => {
  const last = async () => (await inside.query(`select max(xmin::text::bigint) as last from memberships`)).rows[0].last
  const before = await last()
  const { status, headers } = await corp.call('PUT', `/Groups/${everyone}?excludedAttributes=members`, {
    displayName: 'Everyone',
    members: membersOf(...idsOf(5, many + 5)),
  })
  expect([status, headers.get('etag')]).toEqual([200, 'W/"2"'])
  const { rows } = await inside.query(
    `select (select count(*)::int from memberships where group_name = 'everyone') as all,
            (select count(*)::int from memberships where xmin::text::bigint > $1) as written,
            (select count(*)::int from events where name = 'PersonGroupsChanged_v1') as told`,
    [before],
  )
  expect(rows).toEqual([{ all: many, written: 5, told: 10 }])
  const [entry] = (await signet.as(ours, 'GET', '/organizations/audit-log?limit=1')).body.result
  expect(entry).toMatchObject({
    action: 'replaceScimGroup',
    before: { persons: idsOf(0, 5) },
    after: { persons: idsOf(many, many + 5) },
  })
  expect(
    (await put(everyone, { displayName: 'Everyone', members: membersOf(...idsOf(5, many + 5)) })).headers.get('etag'),
  ).toBe('W/"2"')
})

test('96: 50,000 are pushed at once, with an event for each and an entry that names a hundred; 100,001 are too many', async () => {
  const answer = await corp.call('POST', '/Groups?excludedAttributes=members', {
    displayName: 'All',
    members: membersOf(...idsOf(0, many)),
  })
  expect(answer.status).toBe(201)
  const { rows } = await inside.query(`select members_count from directory_groups where id = $1`, [answer.body.id])
  expect(rows).toEqual([{ members_count: many }])
  const told = await inside.query(
    `select count(*)::int, count(distinct payload::json ->> 'person_id')::int as persons from events
      where name = 'PersonGroupsChanged_v1' and payload::json -> 'added' ->> 0 = 'All'`,
  )
  expect(told.rows).toEqual([{ count: many, persons: many }])
  const [entry] = (await signet.as(ours, 'GET', '/organizations/audit-log?action=createScimGroup&limit=1')).body.result
  expect([entry.after.persons.length, entry.after.persons_count]).toEqual([100, many])
  const tooMany = membersOf(...idsOf(0, 100_001))
  for (const refused of [
    await put(answer.body.id, { displayName: 'All', members: tooMany }),
    await patch(answer.body.id, { op: 'replace', path: 'members', value: tooMany }),
  ])
    expect(refused).toMatchObject(scimError(413, undefined, expect.stringMatching(/100000/)))
  // What it grows to by small steps is bounded as well.
  await inside.query(`update directory_groups set members_count = 99999 where id = $1`, [answer.body.id])
  const add = (id: string) => patch(answer.body.id, { op: 'add', path: 'members', value: membersOf(id) })
  expect((await add(idOf(many))).status).toBe(204)
  expect(await add(idOf(many + 1))).toMatchObject(scimError(413, undefined, 'members: must be at most 100000 persons'))
}, 60_000)

test('A list ends early with the group whose members reach 100,000, and the next page goes on behind it', async () => {
  for (const displayName of ['Last', 'Least']) await newGroup(displayName, idOf(0))
  const filter = ['Everyone', 'All', 'Last', 'Least'].map((name) => `displayName eq "${name}"`).join(' or ')
  const list = async (startIndex: number) => {
    const path = `/Groups?filter=${encodeURIComponent(filter)}&startIndex=${startIndex}&attributes=displayName,members`
    const { totalResults, itemsPerPage, Resources } = (await corp.call('GET', path)).body
    const names = Resources.map(({ displayName }: { displayName: string }) => displayName)
    return { totalResults, itemsPerPage, names }
  }
  expect(await list(1)).toEqual({ totalResults: 4, itemsPerPage: 2, names: ['Everyone', 'All'] })
  expect(await list(3)).toEqual({ totalResults: 4, itemsPerPage: 2, names: ['Last', 'Least'] })
})
