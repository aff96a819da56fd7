import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeAdministrator } from '../support/administrators.ts'
import {
  ask,
  closeDirectories,
  corp,
  get,
  groupsChanged,
  groupsOf,
  inside,
  jo,
  joined,
  kim,
  left,
  lou,
  membersOf,
  newDirectory,
  newGroup,
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
import { startPushing } from '../support/pushing.ts'
import { refused } from '../support/refused.ts'
import { startSignet } from '../support/signet.ts'

beforeAll(openDirectories)
afterAll(closeDirectories)

let staff: { id: string; name: string }
beforeEach(async () => {
  await newDirectory()
  staff = await newGroup('Staff', jo, kim)
  for (const name of ['own', 'other']) await ask('POST', '/groups', { name })
})

const kept = refused(409, 'group: Staff is kept by the directory Corp staff and changed there')
const setGroups = (person: string, ...groups: string[]) => ask('PUT', `/persons/${person}/groups`, { groups })
const setAccess = (...groups: string[]) =>
  ask('PATCH', '/organizations/settings', { console_access: groups.map((group) => ({ group, role: 'owner' })) })

test('92: Set groups is right where it names the directory’s groups of the person as they are', async () => {
  expect((await setGroups(jo, 'own', 'Staff')).body.result).toEqual(['Staff', 'own'])
  expect((await setGroups(jo, 'Staff', 'other')).body.result).toEqual(['Staff', 'other'])
  expect((await setGroups(jo, 'Staff')).body.result).toEqual(['Staff'])
  expect((await setGroups(lou, 'own')).body.result).toEqual(['own'])
  expect((await setGroups(lou)).body.result).toEqual([])
})

test('92: One that leaves out a group of the directory, or adds one, is 400 that names both, and nothing changes', async () => {
  const leftOut = refused(400, 'groups: must have Staff, kept by the directory Corp staff, which has the person in it')
  const added = refused(
    400,
    'groups: must be without Staff, kept by the directory Corp staff, which does not have the person in it',
  )
  const before = await groupsChanged()
  expect(await setGroups(jo)).toMatchObject(leftOut)
  expect(await setGroups(jo, 'own')).toMatchObject(leftOut)
  expect(await setGroups(lou, 'Staff', 'own')).toMatchObject(added)
  expect([await groupsOf(jo), await groupsOf(lou)]).toEqual([['Staff'], []])
  expect(await groupsChanged()).toEqual(before)
})

test('92: Every other way in or out, a change and a deletion are 409 that names the directory, and nothing changes', async () => {
  const before = await get(staff.id)
  const ways: [string, string, object?][] = [
    ['POST', `/persons/${lou}/groups`, { groups: ['own', 'Staff'] }],
    ['DELETE', `/persons/${jo}/groups/Staff`],
    ['POST', '/groups/Staff/persons', { persons: [lou] }],
    ['DELETE', `/groups/Staff/persons/${jo}`],
    ['POST', '/persons', { groups: ['own', 'Staff'] }],
    ['PATCH', '/groups/Staff', { description: 'Ours' }],
    ['DELETE', '/groups/Staff'],
  ]
  for (const [method, path, body] of ways)
    expect(await ask(method, path, body), `${method} ${path}`).toMatchObject(kept)
  expect(await personsIn('Staff')).toEqual(sorted(jo, kim))
  expect(await groupsOf(lou)).toEqual([])
  expect((await ask('GET', '/persons?limit=1000')).body.meta.pagination.total_count).toBe(3)
  expect((await get(staff.id)).body).toEqual(before.body)
})

test('92: To create a group that a directory keeps is 201, and changes nothing', async () => {
  const { status, body } = await ask('POST', '/groups', { name: 'Staff', description: 'Ours' })
  expect([status, body.result]).toMatchObject([201, { name: 'Staff', description: '', members_count: 2 }])
})

test('Once its directory is gone a group is the interface’s', async () => {
  await ask('DELETE', `/organizations/directories/${corp.id}?people=keep`)
  expect((await setGroups(jo, 'own')).body.result).toEqual(['own'])
  expect((await ask('DELETE', '/groups/Staff')).status).toBe(200)
})

test('A group that a directory has made opens no console; one that is tied does, and then the directory writes who is in it', async () => {
  const made = await setAccess('own', 'Staff')
  expect(made).toMatchObject(
    refused(400, expect.stringMatching(/^console_access\[1\]\.group: Staff is made by the directory Corp staff/)),
  )
  const tied = await ask('PATCH', `/organizations/directories/${corp.id}/groups/${staff.id}`, { group_name: 'own' })
  expect(tied.status).toBe(200)
  expect((await setAccess('own')).status).toBe(200)
  expect(await personsIn('own')).toEqual(sorted(jo, kim))
  expect((await patch(staff.id, { op: 'add', path: 'members', value: membersOf(lou) })).status).toBe(204)
  expect(await personsIn('own')).toEqual(sorted(jo, kim, lou))
  const invitation = await ask('POST', '/organizations/console-invitations', { group: 'own' })
  expect(invitation).toMatchObject(refused(409, 'group: own is kept by the directory Corp staff and changed there'))
})

test('A tied group that its directory deletes stays, without those who were in it, and is the interface’s again', async () => {
  await ask('PATCH', `/organizations/directories/${corp.id}/groups/${staff.id}`, { group_name: 'own' })
  const before = (await groupsChanged()).length
  expect((await corp.call('DELETE', `/Groups/${staff.id}`)).status).toBe(204)
  expect(await get(staff.id)).toMatchObject({ status: 404 })
  expect(await personsIn('own')).toEqual([])
  expect((await groupsChanged()).slice(before)).toMatchObject(sorted(jo, kim).map((person) => left(person, 'own')))
  expect((await ask('POST', '/groups/own/persons', { persons: [lou] })).status).toBe(201)
  expect((await groupsChanged()).at(-1)).toMatchObject(joined(lou, 'own'))
})

test('A stranger in a tied group is shown, and is taken out by the directory as any member', async () => {
  const stranger = (await ask('POST', '/persons', { groups: ['own'] })).body.result.person_id
  await ask('PATCH', `/organizations/directories/${corp.id}/groups/${staff.id}`, { group_name: 'own' })
  expect((await get(staff.id)).body.members).toEqual(membersOf(...sorted(jo, kim, stranger)))
  expect((await patch(staff.id, { op: 'replace', path: 'members', value: membersOf(jo) })).status).toBe(204)
  expect(await personsIn('own')).toEqual([jo])
})

test('A directory takes no last owner out of a tied group: 409 that says why, and nothing changes', async () => {
  const { personId } = await makeAdministrator(signet, inside, ours, { role: 'owner' })
  await ask('PATCH', `/organizations/directories/${corp.id}/groups/${staff.id}`, { group_name: 'owners' })
  const refusal = scimError(
    409,
    undefined,
    expect.stringMatching(/^owners: no owner who is active and can sign in would be left/),
  )
  const members = membersOf(jo)
  expect(await patch(staff.id, { op: 'remove', path: `members[value eq "${personId}"]` })).toMatchObject(refusal)
  expect(await put(staff.id, { displayName: 'Staff', members })).toMatchObject(refusal)
  expect(await corp.call('DELETE', `/Groups/${staff.id}`)).toMatchObject(refusal)
  expect(await personsIn('owners')).toEqual(sorted(jo, kim, personId))
  await makeAdministrator(signet, inside, ours, { role: 'reader' })
  expect((await patch(staff.id, { op: 'remove', path: 'members', value: membersOf(jo, kim) })).status).toBe(204)
})

test('A directory never makes the group that SIGNET_OPERATOR_GROUP names, though nobody has made it', async () => {
  const operators = { SIGNET_OPERATOR_ORGANIZATION: ours.id, SIGNET_OPERATOR_GROUP: 'operators' }
  const env = { ...operators, SIGNET_BASE_URL: signet.baseUrl }
  const named = await startSignet({ databaseUrl: signet.database.url, env })
  try {
    const { body } = await post({ displayName: 'operators' }, await startPushing(named, ours, { name: 'Other' }))
    expect(body[signetGroup].groupName).toMatch(/^operators-[a-z2-7]{10}$/)
  } finally {
    await named.stop()
  }
})
