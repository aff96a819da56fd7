import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ask,
  auditOf,
  closeDirectories,
  createCredential,
  createDirectory,
  createToken,
  inside,
  made,
  newOrganization,
  openDirectories,
  ours,
  pathOf,
  push,
  pushGroup,
  scim,
} from '../support/own-directories.ts'
import { refused } from '../support/refused.ts'

beforeAll(openDirectories)
afterAll(closeDirectories)

let directory: { id: string }
let token: string
beforeEach(async () => {
  await newOrganization()
  directory = await createDirectory({ group_prefix: 'corp-' })
  token = await createToken(directory)
})

const groups = async () => (await ask('GET', pathOf(directory, '/groups'))).body.result
const tie = (id: string, group_name: string, of = directory) =>
  ask('PATCH', pathOf(of, `/groups/${id}`), { group_name })
const membersOf = async (name: string) => (await ask('GET', `/groups/${name}/persons`)).body.result?.sort()
/** So many statements wait for another. */
const waitForLock = (count = 1) =>
  vi.waitFor(async () => {
    const waiting = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    // A transaction is shown the same sessions again and again.
    await inside.query('select pg_stat_clear_snapshot()')
    expect((await inside.query(waiting)).rows).toEqual([{ count }])
  }, 10_000)
const create = (name: string) => made(ask('POST', '/groups', { name }))

describe('The groups of a directory', () => {
  test('They are listed with what they are called there and here, the newest first', async () => {
    const persons = await push(token, 2)
    const first = await pushGroup(token, 'Équipe R&D', persons)
    const second = await pushGroup(token, 'Sales')
    const listed = await groups()
    expect(listed).toEqual([
      expect.objectContaining({ id: second, display_name: 'Sales', group_name: 'corp-Sales', members_count: 0 }),
      {
        id: first,
        display_name: 'Équipe R&D',
        group_name: 'corp-Equipe-R-D',
        tied: false,
        members_count: 2,
        created_at: expect.any(String),
      },
    ])
    expect((await ask('GET', pathOf(directory))).body.result).toMatchObject({ users_count: 2, groups_count: 2 })
    expect((await ask('GET', pathOf(directory, '/groups?limit=1&offset=1'))).body.result).toEqual([listed[1]])
  })
})

describe('A group that is tied', () => {
  test('It gains the members, each with one event, and the group that the directory had made goes', async () => {
    const [both, joining] = (await push(token, 2)) as [string, string]
    const before = (await ask('POST', '/persons', {})).body.result.person_id
    const id = await pushGroup(token, 'Engineering', [both, joining])
    await create('engineering')
    await ask('POST', '/groups/engineering/persons', { persons: [before, both] })
    const { body: feed } = await ask('GET', '/events?event_name=PersonGroupsChanged_v1')
    const { status, body } = await tie(id, 'engineering')
    const tied = { id, display_name: 'Engineering', group_name: 'engineering', tied: true, members_count: 3 }
    expect({ status, result: body.result }).toEqual({ status: 200, result: expect.objectContaining(tied) })
    expect(await membersOf('engineering')).toEqual([before, both, joining].sort())
    expect((await ask('GET', '/groups/corp-Engineering')).status).toBe(404)
    const events = (await ask('GET', `/events?event_name=PersonGroupsChanged_v1&after=${feed.meta.next}`)).body.result
    const told = events.map(({ person_id, added, removed }: Record<string, unknown>) => ({ person_id, added, removed }))
    expect(told).toHaveLength(2)
    expect(told).toEqual(
      expect.arrayContaining([
        { person_id: both, added: [], removed: ['corp-Engineering'] },
        { person_id: joining, added: ['engineering'], removed: ['corp-Engineering'] },
      ]),
    )
    const [entry] = await auditOf('action=tieDirectoryGroup')
    expect(entry).toMatchObject({
      target: { type: 'group', id: 'engineering' },
      before: { group_name: 'corp-Engineering', tied: false },
      after: { tied: true, members_count: 3 },
    })
  })

  test('The directory alone writes it from then on, and a repeat changes nothing', async () => {
    const [person] = (await push(token, 1)) as [string]
    const id = await pushGroup(token, 'Engineering', [person])
    await create('engineering')
    const { body } = await tie(id, 'engineering')
    expect((await tie(id, 'engineering')).body).toEqual(body)
    expect(await auditOf('action=tieDirectoryGroup')).toHaveLength(1)
    expect((await ask('DELETE', `/groups/engineering/persons/${person}`)).status).toBe(409)
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
    const Operations = [{ op: 'remove', path: 'members', value: [{ value: person }] }]
    expect((await scim(token, 'PATCH', `/Groups/${id}`, { schemas, Operations })).status).toBe(204)
    expect(await membersOf('engineering')).toEqual([])
    expect((await groups())[0]).toMatchObject({ members_count: 0 })
  })

  test('Tied once more, the group of before stays with its members, and is the interface’s again', async () => {
    const [person] = (await push(token, 1)) as [string]
    const id = await pushGroup(token, 'Engineering', [person])
    for (const name of ['first', 'second']) {
      await create(name)
      expect((await tie(id, name)).status).toBe(200)
    }
    expect([await membersOf('first'), await membersOf('second')]).toEqual([[person], [person]])
    expect((await ask('DELETE', `/groups/first/persons/${person}`)).status).toBe(200)
  })

  test('One that a directory keeps is refused, whichever directory it is', async () => {
    const other = await createDirectory({ name: 'Other' })
    const theirs = await pushGroup(await createToken(other), 'Theirs')
    const [mine, another] = [await pushGroup(token, 'Mine'), await pushGroup(token, 'Another')]
    const kept = (name: string, by: string) =>
      refused(409, `group_name: ${name} is kept by the directory ${by} already`)
    expect(await tie(mine, 'Theirs')).toMatchObject(kept('Theirs', 'Other'))
    expect(await tie(mine, 'corp-Another')).toMatchObject(kept('corp-Another', 'Corp staff'))
    await create('engineering')
    const answers = await Promise.all([tie(mine, 'engineering'), tie(theirs, 'engineering', other)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await tie(another, 'none')).toMatchObject(refused(400, 'group_name: none does not exist'))
    expect(await tie(theirs, 'engineering')).toMatchObject(refused(404, 'group: not found'))
    expect(await tie('none', 'engineering')).toMatchObject(refused(404, 'group: not found'))
  })

  test('It may be one that opens the console, for an admin key says so', async () => {
    const id = await pushGroup(token, 'Administrators', await push(token, 1))
    await create('owners')
    await ask('PATCH', '/organizations/settings', { console_access: [{ group: 'owners', role: 'owner' }] })
    expect((await tie(id, 'owners')).body.result).toMatchObject({ group_name: 'owners', members_count: 1 })
  })

  describe('Where it is that of the owners', () => {
    let id: string
    let owner: string
    beforeEach(async () => {
      ;[owner] = (await push(token, 1)) as [string]
      const oauth_client_id = await createCredential()
      await made(ask('POST', `/persons/${owner}/identities`, { oauth_client_id, subject: '00uowner' }))
      id = await pushGroup(token, 'Administrators', [owner])
      await create('owners')
      await ask('PATCH', '/organizations/settings', { console_access: [{ group: 'owners', role: 'owner' }] })
    })
    const empty = () => scim(token, 'PUT', `/Groups/${id}`, { displayName: 'Administrators', members: [] })

    test('The directory does not take the last owner out of it', async () => {
      await tie(id, 'owners')
      const refusal = { status: 409, body: { detail: expect.stringContaining('owners: ') } }
      expect(await empty()).toMatchObject(refusal)
      expect(await scim(token, 'DELETE', `/Groups/${id}`)).toMatchObject(refusal)
      expect(await membersOf('owners')).toEqual([owner])
    })

    test('It brings others in, and takes them out', async () => {
      await tie(id, 'owners')
      const [another] = (await push(token, 1, { userName: 'another' })) as [string]
      for (const members of [[owner, another], [owner]]) {
        const all = { displayName: 'Administrators', members: members.map((value) => ({ value })) }
        expect((await scim(token, 'PUT', `/Groups/${id}`, all)).status).toBe(200)
        expect(await membersOf('owners')).toEqual(members.toSorted())
      }
    })

    test('Nor by a request that began before the group was tied', async () => {
      await inside.query('begin')
      await inside.query('select from directories where org_id = $1 for update', [ours.id])
      const emptied = empty()
      await waitForLock()
      expect((await tie(id, 'owners')).status).toBe(200)
      await inside.query('commit')
      expect((await emptied).status).toBe(409)
      expect(await membersOf('owners')).toEqual([owner])
    })
  })

  test('Who is taken out of the other group at the same moment is in it nevertheless, if the directory says so', async () => {
    const [person] = (await push(token, 1)) as [string]
    const other = (await ask('POST', '/persons', {})).body.result.person_id
    const id = await pushGroup(token, 'Engineering', [person])
    await create('engineering')
    await ask('POST', '/groups/engineering/persons', { persons: [person, other] })
    await inside.query('begin')
    await inside.query('select from persons where org_id = $1 for update', [ours.id])
    const set = [
      ask('PUT', `/persons/${person}/groups`, { groups: ['corp-Engineering'] }),
      ask('PUT', `/persons/${other}/groups`, { groups: [] }),
    ]
    await waitForLock(2)
    const tied = tie(id, 'engineering')
    await waitForLock(3)
    await inside.query('commit')
    const [brought, kept, left] = (await Promise.all([tied, ...set])).map(({ status }) => status)
    expect([brought, kept]).toEqual([200, 200])
    // After the tie it is the directory's group, which nobody else leaves.
    const members = left === 200 ? [person] : [other, person]
    expect(await membersOf('engineering')).toEqual(members)
    expect((await groups())[0]).toMatchObject({ members_count: members.length })
  })

  test('Nobody who joins at the same moment is lost or left in the group that goes', async () => {
    const persons = await push(token, 10)
    const id = await pushGroup(token, 'Engineering')
    await create('engineering')
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
    const add = (value: string) =>
      scim(token, 'PATCH', `/Groups/${id}`, {
        schemas,
        Operations: [{ op: 'add', path: 'members', value: [{ value }] }],
      })
    const [tied, ...added] = await Promise.all([tie(id, 'engineering'), ...persons.map(add)])
    expect([tied.status, ...new Set(added.map(({ status }) => status))]).toEqual([200, 204])
    expect(await membersOf('engineering')).toEqual(persons)
    expect((await groups())[0]).toMatchObject({ members_count: 10 })
  })
})
