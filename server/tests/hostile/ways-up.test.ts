import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Role } from '../../src/ground/http/chain/roles.ts'
import { type Administrator, groupOf, makeAdministrator } from '../support/administrators.ts'
import { attempts } from '../support/claim-attempts.ts'
import { type Answer, type Headings, type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { type Operation, readOperations } from './support/document.ts'
import { unreachedRates } from './support/rates.ts'
import { addressOf, makeThings, type Things } from './support/things.ts'

/** For some ten thousand calls. */
const patience = 600_000
const everyRole: Role[] = ['owner', 'editor', 'support', 'reader']
const settings = '/organizations/settings'

let signet: OwnSignet
let inside: pg.Client
let writing: Operation[]
let scopes: string[]

beforeAll(async () => {
  signet = await startOwnSignet({
    env: { ...unreachedRates, SIGNET_ROLES: 'api', SIGNET_WEBHOOK_RESOLVE: 'things.example.com:443:127.0.0.1' },
  })
  inside = new pg.Client(signet.database)
  await inside.connect()
  writing = (await readOperations(signet)).filter(({ method }) => method !== 'GET')
  const any = await signet.organization()
  scopes = (await signet.as(any, 'GET', '/organizations/api-keys')).body.result[0].scopes
}, patience)

afterAll(async () => {
  await inside?.end()
  await signet?.stop()
})

/** An organization with somebody of each role, a person of none, and one of everything else. */
type World = {
  organization: Organization
  administrators: Record<Role, Administrator>
  plain: string
  /** What stands in a path, in turn: what is nobody's, and what is of somebody with a role. */
  cast: Things[]
}

async function makeWorld(): Promise<World> {
  const organization = await signet.organization()
  const made = async (role: Role) => [role, await makeAdministrator(signet, inside, organization, { role })] as const
  const administrators = Object.fromEntries([
    await made('owner'),
    await made('editor'),
    await made('support'),
    await made('reader'),
  ]) as Record<Role, Administrator>
  const spare = { 'console-sessions': administrators.owner.sessionId }
  const things: Things = { ...spare, ...(await makeThings(signet, organization, 'things')) }
  const first = (await signet.as(organization, 'GET', '/organizations/api-keys')).body.result.at(-1).id
  // Otherwise the first is the last admin key, which nobody revokes.
  await signet.as(organization, 'POST', '/organizations/api-keys', { name: 'Second' })
  const cast = everyRole.map((role) => ({ ...things, ...thingsOf(role, administrators[role]), 'api-keys': first }))
  const plain = things.persons ?? ''
  return { organization, administrators, plain, cast: [things, ...cast] }
}

const thingsOf = (role: Role, { personId, identityId, sessionUid, sessionId }: Administrator): Things => ({
  groups: groupOf(role),
  persons: personId,
  identities: identityId,
  sessions: sessionUid,
  'console-sessions': sessionId,
})

/** Who tries, and for whom: a key has no person of its own. */
type Caller = { name: string; headers: Headings; personId: string; scopes: string[] }

const byRole = ({ administrators }: World, role: Role): Caller => ({ name: role, ...administrators[role], scopes: [] })

async function byKey({ organization, plain }: World, given: string[]): Promise<Caller> {
  const { body } = await signet.as(organization, 'POST', '/organizations/api-keys', { scopes: given })
  const headers = { 'Service-OrgID': organization.id, 'Service-API-Key': body.result.api_key }
  return { name: given.join(), headers, personId: plain, scopes: given }
}

/** The bodies that are likeliest to raise somebody, besides those that change what tokens say. */
const raising: Record<string, (caller: Caller) => unknown[]> = {
  changeSettings: () => [
    { console_access: [{ group: 'things', role: 'owner' }] },
    { console_access: everyRole.map((role) => ({ group: groupOf(role), role: 'owner' })) },
    { console_access: [] },
    { console_access: null, console_key_sign_in: null },
    { console_key_sign_in: false },
    { link_by_verified_email: true },
  ],
  createApiKey: () => [{ scopes }, { name: 'Up', scopes: ['api-keys:write', 'settings:write'] }],
  addGroupMembers: ({ personId }) => [{ persons: [personId] }],
  setPersonGroups: () => [{ groups: ['owners'] }, { groups: everyRole.map(groupOf) }, { groups: [] }],
  addPersonGroups: () => [{ groups: ['owners'] }, { groups: ['things', 'editors'] }],
  createPerson: () => [{ groups: ['owners'] }, { groups: ['things', 'readers'], active: true }],
  changePerson: () => [{ active: false }, { active: true }, { handles: [] }],
  createGroup: () => [{ name: 'owners', description: 'Mine' }],
  addPersonIdentity: () => [{ oauth_client_id: 'administrators', subject: 'mallory' }],
  changeApiKey: () => [{ name: 'Up' }],
  endConsoleSession: () => [undefined],
  createConsoleInvitation: () => [{ group: 'owners' }, { group: 'readers' }],
}

/** Everything that could be tried with an operation: throws where nobody has thought of it. */
function bodiesOf({ id }: Operation, caller: Caller): { body?: unknown; query?: string }[] {
  const [ups, others] = [raising[id], attempts[id]]
  if (!ups && !others) throw new Error(`${id}: has no row among the attempts`)
  const target = { personId: caller.personId, receiverUrl: (name: string) => `https://things.example.com/${name}` }
  return [...(ups?.(caller) ?? []).map((body) => ({ body })), ...(others?.(target) ?? [])]
}

async function tryAll({ cast }: World, caller: Caller, operation: Operation): Promise<Answer[]> {
  const answers: Answer[] = []
  const addresses = new Set(cast.map((things) => addressOf(operation.path, things)))
  for (const address of addresses)
    for (const { body, query = '' } of bodiesOf(operation, caller))
      answers.push(await signet.call(operation.method, address + query, caller.headers, body))
  return answers
}

/** Gives how many calls of each operation succeeded. What deletes comes last, for nothing stands after it. */
async function walk(world: World, caller: Caller): Promise<Map<string, number>> {
  const keyed = writing.filter(({ access }) => access === 'key')
  expect(keyed.length).toBeGreaterThan(40)
  const inTurn = [
    ...keyed.filter(({ method }) => method !== 'DELETE'),
    ...keyed.filter(({ method }) => method === 'DELETE'),
  ]
  const succeeded = new Map<string, number>()
  for (const operation of inTurn) {
    const answers = await tryAll(world, caller, operation)
    succeeded.set(operation.id, answers.filter(({ status }) => status < 300).length)
    for (const { status, body } of answers) expect(status, `${operation.id} ${JSON.stringify(body)}`).not.toBe(500)
  }
  return succeeded
}

type Row = Record<string, unknown>
const rowsOf = async (world: World, text: string): Promise<Row[]> =>
  (await inside.query(text, [world.organization.id])).rows

/** Who may do what: whatever differs after a walk was a way up, or a way to put somebody else down. */
const powers = async (world: World) => ({
  access: await rowsOf(world, `select group_name, role from console_access where org_id = $1 order by 1`),
  switches: await rowsOf(world, `select console_key_sign_in, link_by_verified_email from organizations where id = $1`),
  members: await rowsOf(
    world,
    `select m.person_id, m.group_name, p.active, array(select i.id from identities i where i.org_id = p.org_id and i.person_id = p.id)
       from memberships m join console_access a using (org_id, group_name) join persons p on p.org_id = m.org_id and p.id = m.person_id
      where m.org_id = $1 order by 1, 2`,
  ),
  handles: await rowsOf(
    world,
    `select h.* from handles h join memberships m using (org_id, person_id) join console_access a using (org_id, group_name)
      where h.org_id = $1 order by h.key`,
  ),
  sessions: await rowsOf(world, `select id, person_id from console_sessions where org_id = $1 order by id`),
  invitations: await rowsOf(world, await whereThere('console_invitations')),
})

/** The table may be of a later release than the test. */
const whereThere = async (table: string) => {
  const { rows } = await inside.query('select to_regclass($1) as name', [table])
  return `select * from ${rows[0].name ?? 'console_access'} where org_id = $1 order by 1, 2`
}

const keysOf = ({ organization }: World) =>
  signet.as(organization, 'GET', '/organizations/api-keys').then(({ body }) => body.result as Key[])
type Key = { id: string; name?: string; scopes: string[] }

const covers = (given: string[], scope: string) =>
  given.includes(scope) || given.includes(scope.replace(/read$/, 'write'))
const isWithin = (caller: Caller) => (key: Key) => key.scopes.every((scope) => covers(caller.scopes, scope))

/** Keys within its own scopes a key makes and revokes; no others come, go or change. */
async function expectNoWayUp(world: World, caller: Caller): Promise<Map<string, number>> {
  const [before, keysBefore] = [await powers(world), await keysOf(world)]
  const succeeded = await walk(world, caller)
  expect(await powers(world), caller.name).toEqual(before)
  const beyond = (keys: Key[]) =>
    keys.filter((key) => !isWithin(caller)(key)).map(({ id, name, scopes }) => [id, name, scopes])
  expect(beyond(await keysOf(world)), caller.name).toEqual(beyond(keysBefore))
  return succeeded
}

test.each<Role>(['reader', 'support', 'editor'])(
  'A person of the role %s raises nobody, and brings nobody in or out, by any operation',
  { timeout: patience },
  async (role) => {
    const world = await makeWorld()
    const caller = byRole(world, role)
    const session = () => signet.call('GET', '/console/session', { ...caller.headers, 'service-console': '1' })
    const { by, scopes: had } = (await session()).body.result
    await expectNoWayUp(world, caller)
    expect((await session()).body.result).toMatchObject({ by, scopes: had })
  },
)

/** Of those by which others would be raised. */
const waysUp = 'createPerson addPersonGroups setPersonGroups createApiKey changePerson addPersonIdentity changeSettings'

test('A person of the role owner does all of that, which shows that the walk reaches it', {
  timeout: patience,
}, async () => {
  const world = await makeWorld()
  const caller = byRole(world, 'owner')
  const others = { ...world, cast: world.cast.filter(({ persons }) => persons !== caller.personId) }
  const before = await powers(world)
  for (const id of waysUp.split(' ')) {
    const operation = writing.find((each) => each.id === id) as Operation
    const answers = await tryAll(others, caller, operation)
    const statuses = answers.map(({ status }) => status)
    expect(
      statuses.some((status) => status < 300),
      `${id} ${statuses}`,
    ).toBe(true)
  }
  const after = await powers(world)
  for (const name of ['access', 'members', 'switches'] as const) expect(after[name], name).not.toEqual(before[name])
})

test('A key with one scope raises nobody by any operation: all that read', { timeout: patience }, async () => {
  const world = await makeWorld()
  for (const scope of scopes.filter((each) => each.endsWith(':read')))
    await expectNoWayUp(world, await byKey(world, [scope]))
})

test('A key with one scope raises nobody by any operation: each that writes', { timeout: patience }, async () => {
  const writes = scopes.filter((each) => each.endsWith(':write'))
  expect(writes.length).toBeGreaterThan(9)
  for (const scope of writes) {
    const world = await makeWorld()
    const succeeded = await expectNoWayUp(world, await byKey(world, [scope]))
    // Triggers are made with `webhooks:write` beside it.
    const count = [...succeeded.values()].reduce((sum, each) => sum + each, 0)
    if (scope !== 'hooks:write') expect(count, scope).toBeGreaterThan(0)
  }
})

test.each(['audit-log', 'persons', 'api-keys'])(
  'A key with all scopes but those of %s raises nobody by any operation',
  { timeout: patience },
  async (area) => {
    const world = await makeWorld()
    await expectNoWayUp(
      world,
      await byKey(
        world,
        scopes.filter((scope) => !scope.startsWith(`${area}:`)),
      ),
    )
  },
)

test('No operation of the operator is open to an owner', async () => {
  const world = await makeWorld()
  const before = await powers(world)
  const ofOperator = writing.filter(({ access }) => access === 'operator')
  expect(ofOperator.length).toBeGreaterThan(2)
  for (const operation of ofOperator) {
    const address = addressOf(operation.path, { ...world.cast[0], organizations: world.organization.id })
    const { status } = await signet.call(operation.method, address, byRole(world, 'owner').headers, operation.example)
    expect(status, operation.name).toBe(401)
  }
  expect(await powers(world)).toEqual(before)
  expect((await signet.as(world.organization, 'GET', settings)).status).toBe(200)
})
