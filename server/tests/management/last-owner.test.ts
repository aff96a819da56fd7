import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Administrator, makeAdministrator, waitingStatements } from '../support/administrators.ts'
import { ask, closeOwnKeys, inside, make, newOrganization, openOwnKeys, ours, signet } from '../support/own-keys.ts'
import { refused } from '../support/refused.ts'

const settings = '/organizations/settings'
const credential = '/organizations/sso/oidc/provider-credentials/administrators'
const refusal = refused(
  409,
  'owners: no owner who is active and can sign in would be left; make somebody else an owner first, or use an admin key',
)

beforeAll(openOwnKeys)
beforeEach(newOrganization)
afterAll(closeOwnKeys)

const newOwner = () => makeAdministrator(signet, inside, ours, { role: 'owner' })

type Call = [method: string, path: string, body?: unknown]
type Way = (owner: Administrator) => Call

/** Every way by which an owner could be taken away. */
const ways: [string, Way][] = [
  ['removes', ({ personId }) => ['DELETE', `/groups/owners/persons/${personId}`]],
  ['takes out of the group', ({ personId }) => ['DELETE', `/persons/${personId}/groups/owners`]],
  ['sets the groups of', ({ personId }) => ['PUT', `/persons/${personId}/groups`, { groups: [] }]],
  ['deactivates', ({ personId }) => ['PATCH', `/persons/${personId}`, { active: false }]],
  ['deletes', ({ personId }) => ['DELETE', `/persons/${personId}`]],
  [
    'takes the last identity of',
    ({ personId, identityId }) => ['DELETE', `/persons/${personId}/identities/${identityId}`],
  ],
]
const forAll: [string, Call][] = [
  ['console_access without owners', ['PATCH', settings, { console_access: [] }]],
  ['another role for their group', ['PATCH', settings, { console_access: [{ group: 'owners', role: 'editor' }] }]],
  ['their credential deleted', ['DELETE', credential]],
  ['their credential switched off', ['PATCH', credential, { active: false }]],
]

const owners = async () =>
  (
    await inside.query(
      `select m.person_id from memberships m join console_access a using (org_id, group_name) join persons p
           on p.org_id = m.org_id and p.id = m.person_id
        where m.org_id = $1 and a.role = 'owner' and p.active and exists (select from identities i where i.person_id = p.id)`,
      [ours.id],
    )
  ).rows.length

describe('The last owner', () => {
  test.each(ways)('An owner never %s the last one, itself included: 409 that says why', async (_name, way) => {
    const owner = await newOwner()
    // In the group, and of no use: one is switched off, the other has never signed in.
    for (const active of [true, false]) await make('/persons', { groups: ['owners'], active })
    expect(await owner.call(...way(owner))).toMatchObject(refusal)
    expect(await owners()).toBe(1)
    const second = await newOwner()
    expect((await second.call(...way(owner))).status).toBeLessThan(300)
    expect(await owner.call('GET', '/groups')).toMatchObject({ status: 401 })
    expect((await second.call('GET', '/groups')).status).toBe(200)
  })

  test.each(forAll)('An owner never leaves nobody who enters as one, by %s: 409', async (_name, call) => {
    const [owner] = [await newOwner(), await newOwner()]
    expect(await owner.call(...call)).toMatchObject(refusal)
    expect((await owner.call('GET', '/groups')).status).toBe(200)
  })

  test.each([...ways, ...forAll.map(([name, call]): [string, Way] => [`makes: ${name}`, () => call])])(
    'An admin key %s the last one all the same',
    async (_name, way) => {
      const owner = await newOwner()
      expect((await ask(...way(owner))).status).toBeLessThan(300)
    },
  )

  test('An owner who gives the role to another group in the same change goes on, as does whoever is out from then on', async () => {
    const owner = await newOwner()
    await make('/groups', { name: 'heirs' })
    const heir = await makeAdministrator(signet, inside, ours, { role: 'reader', groups: ['heirs'] })
    const access = [{ group: 'heirs', role: 'owner' }]
    expect((await owner.call('PATCH', settings, { console_access: access })).status).toBe(200)
    expect(await owner.call('GET', '/groups')).toMatchObject({ status: 401 })
    expect((await heir.call('PATCH', settings, { console_access: [...access] })).status).toBe(200)
  })
})

/** Waits until so many statements of others wait for a lock. */
const waiting = (count: number) =>
  expect
    .poll(async () => (await inside.query(waitingStatements)).rows[0].count, {
      timeout: 30_000,
    })
    .toBeGreaterThanOrEqual(count)

/** Both begin while the row is held, so that neither knows of the other. */
async function atOnce(held: string, calls: (() => Promise<{ status: number }>)[]) {
  const holder = new pg.Client(signet.database)
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query(held)
    const answers = Promise.all(calls.map((call) => call()))
    await waiting(calls.length)
    await holder.query('commit')
    return (await answers).map(({ status }) => status).sort()
  } finally {
    await holder.end()
  }
}

describe('Two owners at once', () => {
  test.each(ways)('Of two who at once each %s the other, one succeeds', async (_name, way) => {
    const [one, two] = [await newOwner(), await newOwner()]
    const lock = `select from persons where org_id = '${ours.id}' and id in ('${one.personId}', '${two.personId}') for update`
    const statuses = await atOnce(lock, [() => one.call(...way(two)), () => two.call(...way(one))])
    expect(statuses[0]).toBeLessThan(300)
    expect(statuses[1]).toBe(409)
    expect(await owners()).toBe(1)
  })
})

describe('console_key_sign_in', () => {
  const rule =
    'console_key_sign_in: must stay true while no owner is active and can sign in, for nobody would enter the console'
  const off = { console_key_sign_in: false }

  test('It is switched off only while an owner is active and can sign in: 409 for keys and persons', async () => {
    expect(await ask('PATCH', settings, off)).toMatchObject(refused(409, rule))
    await make('/groups', { name: 'owners' })
    const access = { console_access: [{ group: 'owners', role: 'owner' }] }
    await make('/persons', { groups: ['owners'] })
    expect(await ask('PATCH', settings, { ...access, ...off })).toMatchObject(refused(409, rule))
    expect((await ask('GET', settings)).body.result).toMatchObject({ console_access: [], console_key_sign_in: true })
    const owner = await newOwner()
    expect(await owner.call('PATCH', settings, off)).toMatchObject({ status: 200, body: { result: off } })
    expect(await ask('PATCH', settings, { console_key_sign_in: null })).toMatchObject({
      body: { result: { console_key_sign_in: true } },
    })
    expect((await ask('PATCH', settings, off)).status).toBe(200)
  })
})
