import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '../../src/ground/http/chain/roles.ts'
import { type Administrator, groupOf, makeAdministrator, waitingStatements } from '../support/administrators.ts'
import {
  ask,
  closeOwnKeys,
  inside,
  keyWith,
  make,
  newOrganization,
  openOwnKeys,
  ours,
  signet,
} from '../support/own-keys.ts'
import { refused } from '../support/refused.ts'
import type { Organization } from '../support/signet.ts'

beforeAll(openOwnKeys)
beforeEach(newOrganization)
afterAll(closeOwnKeys)

const settings = '/organizations/settings'
const ofGroup =
  'group: owners opens the console (console_access), so only admin keys and owners change it and its members'
const ofPerson =
  'person: is in owners, which opens the console (console_access), so only admin keys and owners change the person'

const administrator = (role: Role, more = {}) => makeAdministrator(signet, inside, ours, { role, ...more })
const groupsOf = async (id: string) => (await ask('GET', `/persons/${id}/groups`)).body.result
const handles = [{ type: 'EmailAddress', value: 'jo@example.com' }]

type Call = [method: string, path: string, body?: unknown]
const by = (key: Organization, [method, path, body]: Call) => ask(method, path, body, key)

/** Every way to change a guarded group and its members. */
const onGroup = ({ personId }: { personId: string }, other: string): Call[] => [
  ['POST', '/groups/owners/persons', { persons: [other] }],
  ['DELETE', `/groups/owners/persons/${personId}`],
  ['PATCH', '/groups/owners', { description: 'New' }],
  ['PUT', `/persons/${other}/groups`, { groups: ['owners'] }],
  ['PUT', `/persons/${personId}/groups`, { groups: [] }],
  ['POST', `/persons/${other}/groups`, { groups: ['staff', 'owners'] }],
  ['DELETE', `/persons/${personId}/groups/owners`],
  ['POST', '/persons', { groups: ['owners'] }],
]
const onMember = ({ personId, identityId, sessionUid }: Administrator): Call[] => [
  ['DELETE', `/persons/${personId}/sessions/${sessionUid}`],
  ['DELETE', `/persons/${personId}/sessions`],
  ['PATCH', `/persons/${personId}`, { active: false }],
  ['PATCH', `/persons/${personId}`, { active: true }],
  ['PATCH', `/persons/${personId}`, { handles }],
  ['DELETE', `/persons/${personId}/identities/${identityId}`],
  ['DELETE', `/persons/${personId}`],
]

/** All that could change of a person and of who enters the console. */
const state = async () =>
  Promise.all(
    ['persons', 'identities', 'issuer_sessions', 'memberships', 'console_access', 'handles', 'groups'].map(
      async (table) =>
        (await inside.query(`select to_jsonb(t) as row from ${table} t where org_id = $1 order by 1`, [ours.id])).rows,
    ),
  )

describe('A guarded group', () => {
  test('Nobody but admin keys and owners changes it or its members: 403 that names it, and nothing changes', async () => {
    const owner = await administrator('owner')
    const editor = await administrator('editor')
    const support = await administrator('support')
    await make('/groups', { name: 'staff' })
    const other = (await make('/persons', {})).person_id
    const narrow = await keyWith('groups:write', 'persons:write', 'settings:write', 'applications:write')
    const before = await state()
    for (const call of onGroup(owner, other)) {
      expect(await by(narrow, call), call.join()).toMatchObject(refused(403, ofGroup))
      expect(await editor.call(...call), call.join()).toMatchObject(refused(403, ofGroup))
    }
    for (const call of onMember(owner)) {
      expect(await by(narrow, call), call.join()).toMatchObject(refused(403, ofPerson))
      expect(await editor.call(...call), call.join()).toMatchObject(refused(403, ofPerson))
    }
    for (const call of onMember(owner).slice(0, 2))
      expect(await support.call(...call), call.join()).toMatchObject(refused(403, ofPerson))
    expect(await state()).toEqual(before)
  })

  test.each(['an admin key', 'an owner'])('Whoever is %s changes it and its members', async (who) => {
    const owner = await administrator('owner')
    await make('/groups', { name: 'staff' })
    const call = (...each: Call) => (who === 'an owner' ? owner.call(...each) : ask(...each))
    const [one, two] = [await administrator('owner'), await administrator('owner')]
    for (const each of [...onGroup(one, two.personId), ...onMember(two)]) {
      // In again: the calls before took the person out.
      await ask('POST', `/persons/${one.personId}/groups`, { groups: ['owners'] })
      const { status, body } = await call(...each)
      expect(status, `${each.join()} ${JSON.stringify(body)}`).toBeLessThan(300)
    }
  })

  test('A list that names the guarded groups as they are is set by a narrow key, and so is every other group', async () => {
    const { personId } = await administrator('owner')
    await make('/groups', { name: 'staff' })
    const narrow = await keyWith('groups:write')
    const set = (groups: string[]) => ask('PUT', `/persons/${personId}/groups`, { groups }, narrow)
    expect(await set(['staff', 'owners'])).toMatchObject({ status: 200, body: { result: ['owners', 'staff'] } })
    expect(await set(['owners'])).toMatchObject({ status: 200, body: { result: ['owners'] } })
    expect(await set(['staff'])).toMatchObject(refused(403, ofGroup))
    expect((await ask('POST', '/groups/staff/persons', { persons: [personId] }, narrow)).status).toBe(201)
    expect(await groupsOf(personId)).toEqual(['owners', 'staff'])
  })

  test('It is deleted by nobody while console_access names it, and by whoever may once it does not: 409', async () => {
    const owner = await administrator('owner')
    await make('/groups', { name: 'staff' })
    const access = [
      { group: 'owners', role: 'owner' },
      { group: 'staff', role: 'reader' },
    ]
    expect((await ask('PATCH', settings, { console_access: access })).status).toBe(200)
    const rule = 'group: staff opens the console; take it out of console_access of the settings first'
    const narrow = await keyWith('groups:write')
    expect(await ask('DELETE', '/groups/staff')).toMatchObject(refused(409, rule))
    expect(await ask('DELETE', '/groups/staff', undefined, narrow)).toMatchObject(refused(409, rule))
    expect(await owner.call('DELETE', '/groups/staff')).toMatchObject(refused(409, rule))
    expect((await owner.call('PATCH', settings, { console_access: access.slice(0, 1) })).status).toBe(200)
    expect((await ask('DELETE', '/groups/staff', undefined, narrow)).status).toBe(200)
  })
})

test.each<Role>(['owner', 'editor', 'support', 'reader'])('The group of the role %s is guarded', async (role) => {
  const { personId } = await administrator(role)
  const narrow = await keyWith('groups:write')
  const { status, body } = await ask('DELETE', `/groups/${groupOf(role)}/persons/${personId}`, undefined, narrow)
  expect({ status, message: body.errors[0].message }).toMatchObject({
    status: 403,
    message: expect.stringContaining(groupOf(role)),
  })
})

/** Amid a transaction of another process. */
async function whileHeld<Result>(statements: string[], call: () => Promise<Result>): Promise<Result> {
  const holder = new pg.Client(signet.database)
  await holder.connect()
  try {
    await holder.query('begin')
    for (const statement of statements) await holder.query(statement)
    const answer = call()
    const waiting = waitingStatements
    await expect.poll(async () => (await inside.query(waiting)).rows[0].count, { timeout: 30_000 }).toBe(1)
    await holder.query('commit')
    return await answer
  } finally {
    await holder.end()
  }
}

describe('At the same instant', () => {
  /** As `lockConsoleAccess` takes it. */
  const held = () => `select pg_advisory_xact_lock(1936291043, hashtext('${ours.id}'))`
  const named = () => `insert into console_access values ('${ours.id}', 'staff', 'owner')`

  test('A group that becomes guarded while a narrow key changes its members is guarded for that change', async () => {
    await make('/groups', { name: 'staff' })
    const { person_id: id } = await make('/persons', {})
    const narrow = await keyWith('groups:write', 'persons:write')
    const rule = ofGroup.replace('owners', 'staff')
    for (const call of [
      ['POST', '/groups/staff/persons', { persons: [id] }],
      ['PUT', `/persons/${id}/groups`, { groups: ['staff'] }],
      ['POST', '/persons', { groups: ['staff'] }],
    ] satisfies Call[]) {
      await inside.query('delete from console_access where org_id = $1', [ours.id])
      expect(await whileHeld([held(), named()], () => by(narrow, call))).toMatchObject(refused(403, rule))
    }
    expect(await groupsOf(id)).toEqual([])
  })

  test('The setting waits for a change of a narrow key that was first', async () => {
    await make('/groups', { name: 'staff' })
    const first = `select pg_advisory_xact_lock_shared(1936291043, hashtext('${ours.id}'))`
    const access = { console_access: [{ group: 'staff', role: 'owner' }] }
    expect((await whileHeld([first], () => ask('PATCH', settings, access))).status).toBe(200)
  })

  test('A person who enters a guarded group while a narrow key changes the person is guarded for that change', async () => {
    await administrator('owner')
    const { person_id: id } = await make('/persons', {})
    const narrow = await keyWith('persons:write')
    const joining = [
      `select from persons where org_id = '${ours.id}' and id = '${id}' for no key update`,
      `insert into memberships (org_id, person_id, group_name) values ('${ours.id}', '${id}', 'owners')`,
    ]
    const calls: Call[] = [
      ['PATCH', `/persons/${id}`, { active: false }],
      ['DELETE', `/persons/${id}/sessions`],
      ['DELETE', `/persons/${id}`],
    ]
    for (const call of calls) {
      await inside.query('delete from memberships where org_id = $1 and person_id = $2', [ours.id, id])
      expect(await whileHeld(joining, () => by(narrow, call)), call.join()).toMatchObject(refused(403, ofPerson))
    }
    expect(await ask('GET', `/persons/${id}`)).toMatchObject({ body: { result: { active: true } } })
  })

  test('A person who is taken out amid a form is out at the next call', async () => {
    const editor = await administrator('editor')
    expect((await editor.call('GET', '/groups')).status).toBe(200)
    await ask('DELETE', `/groups/editors/persons/${editor.personId}`)
    expect((await editor.call('POST', '/groups', { name: 'late' })).status).toBe(401)
    expect((await ask('GET', '/groups/late')).status).toBe(404)
  })
})

test('A group of the name of one that was guarded, made again, opens nothing', async () => {
  const { personId, call } = await administrator('editor')
  await ask('PATCH', settings, { console_access: [] })
  await ask('DELETE', '/groups/editors')
  const narrow = await keyWith('groups:write')
  await ask('POST', '/groups', { name: 'editors' }, narrow)
  await ask('POST', '/groups/editors/persons', { persons: [personId] }, narrow)
  expect((await call('GET', '/groups')).status).toBe(401)
})
