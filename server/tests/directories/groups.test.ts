import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  closeDirectories,
  coreGroup,
  corp,
  find,
  get,
  groupsChanged,
  groupsOf,
  jo,
  joined,
  kim,
  left,
  lou,
  membersOf,
  newDirectory,
  newGroup,
  newUser,
  noGroup,
  openDirectories,
  ours,
  patch,
  personsIn,
  post,
  put,
  scimError,
  signet,
  signetGroup,
  sorted,
} from '../support/own-groups.ts'
import { unknownId } from '../support/own-persons.ts'
import { startPushing } from '../support/pushing.ts'

beforeAll(openDirectories)
afterAll(closeDirectories)
beforeEach(newDirectory)

const audit = async (query = '') => (await ask('GET', `/organizations/audit-log?${query}`)).body.result

describe('A group that is created', () => {
  test('70: As Entra sends it, it is empty, and read back as sent', async () => {
    const entra = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'
    const sent = {
      schemas: [coreGroup, entra],
      externalId: '8aa1a0c0',
      displayName: 'Staff',
      meta: { resourceType: 'Group' },
    }
    const { status, headers, body } = await corp.call('POST', '/Groups', sent)
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(body.meta.location)
    expect(headers.get('etag')).toBe('W/"1"')
    expect(body).toEqual({
      schemas: [coreGroup, signetGroup],
      id: expect.any(String),
      externalId: '8aa1a0c0',
      displayName: 'Staff',
      members: [],
      [signetGroup]: { groupName: 'Staff' },
      meta: {
        resourceType: 'Group',
        created: expect.any(String),
        lastModified: body.meta.created,
        location: `${signet.baseUrl}/scim/${ours.id}/v2/Groups/${body.id}`,
        version: 'W/"1"',
      },
    })
    expect((await get(body.id)).body).toEqual(body)
    expect((await ask('GET', '/groups/Staff')).body.result).toMatchObject({ name: 'Staff', members_count: 0 })
  })

  test.each([
    ['71', 'Engineering', 'Engineering'],
    ['72', 'Équipe R&D / Köln (EU)', 'Equipe-R-D-Koln-EU'],
    ['73', 'x', expect.stringMatching(/^g-[a-z2-7]{10}$/)],
    ['73', '管理者', expect.stringMatching(/^g-[a-z2-7]{10}$/)],
    ['73', '!!!', expect.stringMatching(/^g-[a-z2-7]{10}$/)],
  ])('%s: %j is displayed as sent, and has a name that fits the rule', async (_, displayName, name) => {
    const { status, body } = await post({ displayName })
    expect([status, body.displayName, body[signetGroup].groupName]).toEqual([201, displayName, name])
    expect((await ask('GET', `/groups/${body[signetGroup].groupName}`)).status).toBe(200)
  })

  test('72b: A name of 257 characters, an empty one and none are refused, and no group is made', async () => {
    for (const displayName of ['n'.repeat(257), '', null, undefined, 7])
      expect(await post({ displayName })).toMatchObject(
        scimError(400, 'invalidValue', expect.stringMatching(/^displayName: /)),
      )
    expect((await post({ displayName: 'n'.repeat(256) })).status).toBe(201)
    expect((await ask('GET', '/groups')).body.result).toHaveLength(1)
  })

  test('74: One whose name the interface has made gets another, and that group gains nobody', async () => {
    for (const name of ['admins', 'Equipe']) await ask('POST', '/groups', { name })
    const admins = await newGroup('admins', jo)
    const team = await newGroup('Équipe!', jo)
    expect(admins.name).toMatch(/^admins-[a-z2-7]{10}$/)
    expect(team.name).toMatch(/^Equipe-[a-z2-7]{10}$/)
    expect(await groupsOf(jo)).toEqual(sorted(admins.name, team.name))
    expect(await personsIn('admins')).toEqual([])
  })

  test('74: Neither does one gain anybody that the interface makes at the same moment', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `race-${index}`)
    const made = names.flatMap((name) => [ask('POST', '/groups', { name }), newGroup(name, jo)])
    const groups = (await Promise.all(made)).filter((each) => 'id' in each) as { name: string }[]
    expect(await groupsOf(jo)).toEqual(sorted(...groups.map(({ name }) => name)))
    for (const [index, name] of names.entries()) {
      const isDirectorys = groups[index]?.name === name
      const change = await ask('PATCH', `/groups/${name}`, { description: 'of the interface' })
      expect([change.status, await personsIn(name)]).toEqual(isDirectorys ? [409, [jo]] : [200, []])
    }
  })

  test('75: The same name twice, in other letters too, is a conflict; also at the same moment; another directory may have it', async () => {
    const clash = scimError(409, 'uniqueness', expect.stringMatching(/^displayName: /))
    await newGroup('Équipe')
    for (const displayName of ['Équipe', 'éQUIPE', 'E\u0301quipe'])
      expect(await post({ displayName })).toMatchObject(clash)
    const both = await Promise.all([post({ displayName: 'Both' }), post({ displayName: 'BOTH' })])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    const { id } = await newGroup('Other')
    expect(await patch(id, { op: 'replace', path: 'displayName', value: 'both' })).toMatchObject(clash)
    expect(await put(id, { displayName: 'équipe' })).toMatchObject(clash)
    const other = await startPushing(signet, ours, { name: 'Other', group_prefix: 'other-' })
    const { body } = await post({ displayName: 'Équipe' }, other)
    expect(body[signetGroup].groupName).toBe('other-Equipe')
    expect((await ask('GET', '/groups')).body.result).toHaveLength(4)
  })

  test('With members it has them, each once, with an event for each', async () => {
    const { id } = await newGroup('Staff', jo, kim, jo.toUpperCase())
    expect((await get(id)).body.members).toEqual(membersOf(...sorted(jo, kim)))
    const events = await groupsChanged()
    expect(events).toMatchObject(sorted(jo, kim).map((person) => joined(person, 'Staff')))
    expect(events[0]).toMatchObject({
      region: 'local',
      event_metadata: { source: 1, event_type: 'PersonGroupsChanged' },
    })
    const [entry] = await audit('action=createScimGroup')
    expect(entry).toMatchObject({
      actor: { type: 'directory', id: corp.id, name: 'Corp staff' },
      target: { type: 'group', id: 'Staff' },
      after: { display_name: 'Staff', persons: sorted(jo, kim) },
    })
  })

  test('The limit of the tier holds, and once it is raised a repeat works', async () => {
    await signet.operate('PATCH', `/organizations/${ours.id}`, { pricing_tier: 'free' })
    for (let count = 1; count <= 9; count++) await ask('POST', '/groups', { name: `group-${count}` })
    const both = await Promise.all([post({ displayName: 'One' }), post({ displayName: 'Two' })])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
    expect(await post({ displayName: 'Three' })).toMatchObject(
      scimError(403, undefined, 'groups: the pricing tier allows at most 10'),
    )
    await signet.operate('PATCH', `/organizations/${ours.id}`, { pricing_tier: 'unlimited' })
    expect((await post({ displayName: 'Three' })).status).toBe(201)
  })
})

describe('Groups that are looked for', () => {
  test('76, 77: They are found by their displayed name in any letters, with members or without', async () => {
    const { id } = await newGroup('Engineering', jo)
    await newGroup('Sales')
    const without = { ...(await get(id)).body }
    delete without.members
    expect(await find('displayName eq "eNGINEERING"', '&excludedAttributes=members')).toEqual([without])
    expect((await get(id, '?excludedAttributes=members')).body).toEqual(without)
    expect(await find('displayName eq "Engineering"')).toEqual([{ ...without, members: membersOf(jo) }])
    expect(await find('displayName eq "nobody"')).toEqual([])
  })

  test('78: Is a person in a group is asked in three ways', async () => {
    const { id } = await newGroup('Staff', jo)
    await newGroup('Others', kim)
    const ways = (person: string) => [
      `id eq "${id}" and members eq "${person}"`,
      `id eq "${id}" and members.value eq "${person}"`,
      `id eq "${id}" and members[value eq "${person}"]`,
    ]
    for (const filter of ways(jo)) expect(await find(filter)).toMatchObject([{ id }])
    for (const filter of [...ways(kim), ...ways(unknownId), ...ways('x')]) expect(await find(filter)).toEqual([])
    expect(await find(`members[value eq "${jo.toUpperCase()}"]`)).toMatchObject([{ id }])
  })

  test('107, 109: They are found by externalId, which is compared letter by letter, and need not differ but by that', async () => {
    const made = await Promise.all(
      ['ext-a', 'EXT-a'].map((externalId) => post({ displayName: externalId === 'ext-a' ? 'One' : 'Two', externalId })),
    )
    expect(made.map(({ status }) => status)).toEqual([201, 201])
    expect(await find('externalId eq "ext-a"')).toMatchObject([{ displayName: 'One' }])
    expect(await find('externalId eq "EXT-a"', '&excludedAttributes=members')).toMatchObject([{ displayName: 'Two' }])
    expect(await find('externalId eq "ext-A"')).toEqual([])
  })

  test('A list has pages in the order of creation, also by POST, and none of another directory', async () => {
    const names = ['c', 'a', 'b'].map((name) => `group ${name}`)
    for (const displayName of names) await newGroup(displayName)
    const other = await startPushing(signet, ours, { name: 'Other' })
    await post({ displayName: 'theirs' }, other)
    const { body } = await corp.call('GET', '/Groups?startIndex=2&count=2&attributes=displayName')
    expect(body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 2 })
    expect(body.Resources.map(({ displayName }: { displayName: string }) => displayName)).toEqual(names.slice(1))
    const search = { filter: 'displayName sw "GROUP"', startIndex: 3, count: 5, excludedAttributes: ['members'] }
    expect((await corp.call('POST', '/Groups/.search', search)).body).toMatchObject({
      totalResults: 3,
      itemsPerPage: 1,
    })
    expect(await find(`urn:signet:scim:schemas:1.0:Group:groupName eq "group-a"`)).toMatchObject([
      { displayName: 'group a' },
    ])
  })

  test('What is not there, no UUID, or of another directory is 404 for every method', async () => {
    const other = await startPushing(signet, ours, { name: 'Other' })
    const { id } = (await post({ displayName: 'theirs' }, other)).body
    for (const path of [id, unknownId, '00919288221112222']) {
      expect(await get(path)).toMatchObject(noGroup)
      expect(await put(path, { displayName: 'Mine', members: membersOf(jo) })).toMatchObject(noGroup)
      expect(await patch(path, { op: 'add', path: 'members', value: membersOf(jo) })).toMatchObject(noGroup)
      expect(await corp.call('DELETE', `/Groups/${path}`)).toMatchObject(noGroup)
    }
    expect((await other.call('GET', `/Groups/${id}`)).body).toMatchObject({ displayName: 'theirs', members: [] })
  })
})

describe('The members of a group', () => {
  let staff: string
  const members = async () => (await get(staff)).body.members.map(({ value }: { value: string }) => value)
  const version = async () => (await get(staff)).headers.get('etag')
  /** The events since the group was made with Jo. */
  const events = async () => (await groupsChanged()).slice(1)

  beforeEach(async () => {
    staff = (await newGroup('Staff', jo)).id
  })

  test('79, 80: One is added, also who is in it already, with no second event', async () => {
    const add = { op: 'Add', path: 'members', value: [{ $ref: null, value: kim }] }
    const { status, headers, body } = await patch(staff, add)
    expect([status, headers.get('etag'), body]).toEqual([204, 'W/"2"', undefined])
    expect(await members()).toEqual(sorted(jo, kim))
    expect((await patch(staff, { ...add, value: [{ value: kim, display: 'Kim' }, { value: jo }] })).status).toBe(204)
    expect([await version(), await members()]).toEqual(['W/"2"', sorted(jo, kim)])
    expect(await events()).toMatchObject([joined(kim, 'Staff')])
    expect(await audit('action=changeScimGroup')).toMatchObject([{ after: { persons: [kim] } }])
  })

  test.each([
    ['81', (id: string) => ({ op: 'Remove', path: 'members', value: [{ value: id }] })],
    ['82', (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` })],
    ['82', (id: string) => ({ op: 'remove', path: `members[value eq "${id}" or value eq "none"]` })],
    ['82', (id: string) => ({ op: 'remove', path: `Members[type eq "User" and value eq "${id}"]` })],
  ])('%s: Only the one who is named is removed', async (_, remove) => {
    await patch(staff, { op: 'add', path: 'members', value: membersOf(kim, lou) })
    expect((await patch(staff, remove(kim))).status).toBe(204)
    expect(await members()).toEqual(sorted(jo, lou))
    expect((await events()).slice(2)).toMatchObject([left(kim, 'Staff')])
  })

  test('82: A filter that names nobody chooses nobody: refused, and nothing changes', async () => {
    for (const path of ['members[type eq "User"]', 'members[not (value eq "x")]', 'members[value sw "0"]'])
      expect(await patch(staff, { op: 'remove', path })).toMatchObject(
        scimError(400, 'invalidFilter', expect.any(String)),
      )
    expect(await members()).toEqual([jo])
  })

  test('83: Without a value all are removed', async () => {
    await patch(staff, { op: 'add', path: 'members', value: membersOf(kim) })
    expect((await patch(staff, { op: 'remove', path: 'members' })).status).toBe(204)
    expect(await members()).toEqual([])
    expect(await groupsOf(kim)).toEqual([])
  })

  test('84: One is removed and another added in one body, one after the other', async () => {
    const remove = { op: 'remove', path: `members[value eq "${jo}"]` }
    const add = (id: string) => ({ op: 'add', path: 'members', value: membersOf(id) })
    expect((await patch(staff, remove, add(kim))).status).toBe(204)
    expect(await members()).toEqual([kim])
    expect((await events()).map(({ person_id, ...event }) => ({ person_id, ...event }))).toMatchObject([
      joined(kim, 'Staff'),
      left(jo, 'Staff'),
    ])
    await patch(staff, add(jo), remove, { op: 'remove', path: 'members' }, add(lou))
    expect(await members()).toEqual([lou])
    await patch(staff, remove, add(jo), remove)
    expect([await members(), await version()]).toEqual([[lou], 'W/"3"'])
  })

  test('86, 87: They are replaced as a whole, by PATCH in two ways and by PUT, and only the difference is told', async () => {
    await patch(staff, { op: 'replace', path: 'members', value: membersOf(kim, jo) })
    expect(await members()).toEqual(sorted(jo, kim))
    await patch(staff, { op: 'replace', value: { members: membersOf(kim, lou) } })
    expect(await members()).toEqual(sorted(kim, lou))
    const { status, body } = await put(staff, { displayName: 'Staff', members: membersOf(lou, jo) })
    expect([status, body.members]).toEqual([200, membersOf(...sorted(jo, lou))])
    expect((await put(staff, { displayName: 'Staff' })).body.members).toEqual([])
    expect(await events()).toMatchObject([
      joined(kim, 'Staff'),
      joined(lou, 'Staff'),
      left(jo, 'Staff'),
      joined(jo, 'Staff'),
      left(kim, 'Staff'),
      ...sorted(jo, lou).map((person) => left(person, 'Staff')),
    ])
  })

  test('88: One who is nobody, or of another directory, is refused by name, and nobody is lost', async () => {
    const other = await startPushing(signet, ours, { name: 'Other' })
    const theirs = await newUser('theirs', other)
    const nobody = (await ask('POST', '/persons', {})).body.result.person_id
    for (const id of [unknownId, theirs, nobody, 'no-uuid']) {
      const refusal = scimError(400, 'invalidValue', `members: ${id} is no user of this directory`)
      const value = membersOf(kim, id)
      expect(await patch(staff, { op: 'add', path: 'members', value })).toMatchObject(refusal)
      expect(await patch(staff, { op: 'replace', path: 'members', value })).toMatchObject(refusal)
      expect(await put(staff, { displayName: 'Renamed', members: value })).toMatchObject(refusal)
      expect(await post({ displayName: 'New', members: value })).toMatchObject(refusal)
    }
    expect([await members(), await version(), await events()]).toEqual([[jo], 'W/"1"', []])
    expect((await ask('GET', '/groups')).body.result).toEqual(['Staff'])
  })

  test('89: One who is not in it, or does not exist, is removed without a change', async () => {
    for (const id of [kim, unknownId, 'no-uuid'])
      for (const remove of [{ path: 'members', value: membersOf(id) }, { path: `members[value eq "${id}"]` }])
        expect((await patch(staff, { op: 'remove', ...remove })).status).toBe(204)
    expect([await members(), await version(), await events()]).toEqual([[jo], 'W/"1"', []])
  })

  test('90: A group in a group is refused', async () => {
    const nested = [{ type: 'Group', value: (await newGroup('Inner')).id }]
    const refusal = scimError(400, 'invalidValue', expect.stringContaining('nested groups are not supported'))
    expect(await patch(staff, { op: 'add', path: 'members', value: nested })).toMatchObject(refusal)
    expect(await post({ displayName: 'Outer', members: nested })).toMatchObject(refusal)
    expect((await patch(staff, { op: 'add', path: 'members', value: [{ type: 'user', value: kim }] })).status).toBe(204)
  })

  test('93: A user shows the groups of this directory', async () => {
    await ask('POST', '/groups', { name: 'interface' })
    await ask('POST', `/persons/${kim}/groups`, { groups: ['interface'] })
    expect((await corp.call('GET', `/Users/${jo}`)).body.groups).toMatchObject([
      { value: staff, display: 'Staff', type: 'direct' },
    ])
    expect((await corp.call('GET', `/Users/${kim}`)).body.groups ?? []).toEqual([])
  })

  test('Nobody is in more than 1,000 groups', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `group-${index}`)
    const { inside } = await import('../support/own-directories.ts')
    await inside.query(`insert into groups select $1, name, '', now() from unnest($2::text[]) name`, [ours.id, names])
    await inside.query(`insert into memberships select $1, $2, name from unnest($3::text[]) name`, [
      ours.id,
      kim,
      names,
    ])
    expect(await patch(staff, { op: 'add', path: 'members', value: membersOf(kim, lou) })).toMatchObject(
      scimError(400, 'invalidValue', `members: ${kim} is in 1000 groups, the most that a person can be in`),
    )
    expect(await members()).toEqual([jo])
  })

  test('A member who is deleted, by either side, makes another version, without an event for the groups', async () => {
    await patch(staff, { op: 'add', path: 'members', value: membersOf(kim, lou) })
    await ask('DELETE', `/persons/${kim}`)
    expect([await members(), await version()]).toEqual([sorted(jo, lou), 'W/"3"'])
    await corp.call('DELETE', `/Users/${lou}`)
    expect([await members(), await version()]).toEqual([[jo], 'W/"4"'])
    expect(await events()).toHaveLength(2)
    const { body } = await get(staff)
    expect(Date.parse(body.meta.lastModified)).toBeGreaterThan(Date.parse(body.meta.created))
  })
})

describe('A group that is changed', () => {
  test('85: A rename may carry the id, and what Signet calls the group stays', async () => {
    const { id } = await newGroup('Old name', jo)
    const rename = { op: 'replace', value: { id, displayName: 'New name' } }
    expect((await patch(id, rename)).status).toBe(204)
    const { headers, body } = await get(id)
    expect([body.displayName, body[signetGroup].groupName, body.members]).toEqual([
      'New name',
      'Old-name',
      membersOf(jo),
    ])
    expect((await patch(id, rename)).status).toBe(204)
    expect((await get(id)).headers.get('etag')).toBe(headers.get('etag'))
    expect(await groupsChanged()).toHaveLength(1)
    expect(await audit('action=changeScimGroup')).toMatchObject([
      { before: { display_name: 'Old name' }, after: { display_name: 'New name' } },
    ])
  })

  test('108, 111: externalId is replaced; of several values the last counts; one that is there already is no error', async () => {
    const { id } = await newGroup('Staff')
    const set = (value: string) => ({ op: 'replace', path: 'externalId', value })
    await patch(
      id,
      set('one'),
      { op: 'remove', path: 'externalId' },
      { op: 'add', path: 'externalId', value: 'two' },
      set('three'),
    )
    expect((await get(id)).body.externalId).toBe('three')
    const named = (op: string, value?: string) => ({ op, path: 'displayName', value })
    await patch(id, named('remove'), named('add', 'A'), named('replace', 'B'))
    expect((await get(id)).body.displayName).toBe('B')
    expect((await patch(id, set('three'))).status).toBe(204)
    await patch(id, { op: 'remove', path: 'externalId' })
    expect((await get(id)).body).not.toHaveProperty('externalId')
    expect((await get(id)).headers.get('etag')).toBe('W/"4"')
  })

  test('A PUT clears what it does not name, and one that says what is there changes nothing', async () => {
    const { id } = await newGroup('Staff', jo)
    const full = { externalId: 'e', displayName: 'Staff', members: membersOf(jo) }
    await put(id, full)
    expect((await put(id, full)).headers.get('etag')).toBe('W/"2"')
    expect(await audit('action=replaceScimGroup')).toHaveLength(1)
    const { body } = await put(id, { displayName: 'staff' })
    expect(body).toMatchObject({ displayName: 'staff', members: [] })
    expect(body).not.toHaveProperty('externalId')
  })

  test('A PATCH is one transaction, and answers with the group where attributes are asked for', async () => {
    const { id } = await newGroup('Staff', jo)
    const rename = { op: 'replace', path: 'displayName', value: 'Other' }
    expect((await patch(id, rename, { op: 'add', path: 'members', value: membersOf(unknownId) })).status).toBe(400)
    expect((await get(id)).body.displayName).toBe('Staff')
    const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [rename] }
    const answer = await corp.call('PATCH', `/Groups/${id}?excludedAttributes=members`, body)
    expect([answer.status, answer.body.displayName, 'members' in answer.body]).toEqual([200, 'Other', false])
    for (const path of ['id', 'meta.created', `${signetGroup}:groupName`])
      expect((await patch(id, { op: 'replace', path, value: 'x' })).body.scimType).toBe('mutability')
    expect(await patch(id, { op: 'remove', path: 'displayName' })).toMatchObject({ status: 400 })
  })

  test('66: With If-Match the group must have that version; with If-None-Match a GET says that it has', async () => {
    const { id } = await newGroup('Staff', jo)
    const mismatch = scimError(412, undefined, expect.any(String))
    expect(await put(id, { displayName: 'Other' }, { 'if-match': 'W/"7"' })).toMatchObject(mismatch)
    expect(await corp.call('DELETE', `/Groups/${id}`, undefined, { 'if-match': 'W/"7"' })).toMatchObject(mismatch)
    expect((await corp.call('GET', `/Groups/${id}`, undefined, { 'if-none-match': 'W/"1"' })).status).toBe(304)
    expect((await put(id, { displayName: 'Other' }, { 'if-match': 'W/"1"' })).headers.get('etag')).toBe('W/"2"')
  })
})

test('91, 112: A group that is deleted is gone with its memberships, without events, and its name is free', async () => {
  const { id } = await newGroup('Staff', jo, kim)
  expect((await corp.call('DELETE', `/Groups/${id}`)).status).toBe(204)
  expect(await get(id)).toMatchObject(noGroup)
  expect(await corp.call('DELETE', `/Groups/${id}`)).toMatchObject(noGroup)
  expect(await groupsOf(jo)).toEqual([])
  expect((await ask('GET', '/groups/Staff')).status).toBe(404)
  expect((await groupsChanged()).filter(({ removed }) => removed.length > 0)).toEqual([])
  expect(await audit('action=deleteScimGroup')).toMatchObject([
    { target: { type: 'group', id: 'Staff' }, before: { display_name: 'Staff', members_count: 2 } },
  ])
  expect((await newGroup('Staff')).name).toBe('Staff')
})
