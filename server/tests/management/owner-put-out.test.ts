import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Administrator, makeAdministrator, waitingStatements } from '../support/administrators.ts'
import {
  ask,
  closeOwnKeys,
  inside,
  make,
  newKey,
  newOrganization,
  openOwnKeys,
  ours,
  signet,
} from '../support/own-keys.ts'

beforeAll(openOwnKeys)
beforeEach(newOrganization)
afterAll(closeOwnKeys)

type Call = [method: string, path: string, body?: unknown]
const access = {
  console_access: [
    { group: 'owners', role: 'owner' },
    { group: 'spare', role: 'owner' },
  ],
}

/** By which an owner could bring somebody in, or come back. */
const ways: [string, (personId: string) => Call][] = [
  ['an invitation', () => ['POST', '/organizations/console-invitations', { group: 'owners' }]],
  ['a key', () => ['POST', '/organizations/api-keys', {}]],
  ['console_access', () => ['PATCH', '/organizations/settings', access]],
  ['members of a group', (id) => ['POST', '/groups/owners/persons', { persons: [id] }]],
  ['groups of a person', (id) => ['POST', `/persons/${id}/groups`, { groups: ['owners'] }]],
  ['all groups of a person', (id) => ['PUT', `/persons/${id}/groups`, { groups: ['owners'] }]],
  ['a new person', () => ['POST', '/persons', { groups: ['owners'] }]],
]

/** Who may be in the console, and by what. */
const powers = async () =>
  (
    await inside.query(
      `select array(select group_name || role from console_access where org_id = $1 order by 1) as access,
              array(select person_id from memberships where org_id = $1 and group_name = 'owners' order by 1) as owners,
              array(select id from console_invitations where org_id = $1) as invitations,
              array(select id from api_keys where org_id = $1 order by 1) as keys`,
      [ours.id],
    )
  ).rows[0]

/** Calls while the locks of the organization are held, and goes on once `change` has been made. */
async function whileItWaits(call: () => Promise<{ status: number }>, change: () => Promise<unknown>): Promise<number> {
  const holder = new pg.Client(signet.database)
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select pg_advisory_xact_lock(1936291043, hashtext($1))', [ours.id])
    await holder.query('select from organizations where id = $1 for update', [ours.id])
    const answer = call()
    const isWaiting = async () => (await inside.query(waitingStatements)).rows[0].count
    await expect.poll(isWaiting, { timeout: 30_000 }).toBeGreaterThan(0)
    await change()
    await holder.query('commit')
    return (await answer).status
  } finally {
    await holder.end()
  }
}

const putOut =
  ({ personId }: Administrator) =>
  () =>
    inside.query(`delete from memberships where org_id = $1 and person_id = $2`, [ours.id, personId])

test.each(ways)('An owner who is put out while the call waits brings nobody in by %s: 401', async (_name, way) => {
  const owner = await makeAdministrator(signet, inside, ours, { role: 'owner' })
  await makeAdministrator(signet, inside, ours, { role: 'owner' })
  await make('/groups', { name: 'spare' })
  const { person_id: friend } = await make('/persons', {})
  const before = await powers()
  expect(await whileItWaits(() => owner.call(...way(friend)), putOut(owner))).toBe(401)
  const owners = before.owners.filter((id: string) => id !== owner.personId)
  expect(await powers()).toEqual({ ...before, owners })
})

test('An admin key that is revoked while the call waits leaves no invitation: 401', async () => {
  await makeAdministrator(signet, inside, ours, { role: 'owner' })
  const key = await newKey({})
  const invite = () => ask('POST', '/organizations/console-invitations', { group: 'owners' }, key)
  const revoke = () => inside.query('delete from api_keys where org_id = $1 and id = $2', [ours.id, key.keyId])
  expect(await whileItWaits(invite, revoke)).toBe(401)
  expect((await powers()).invitations).toEqual([])
})
