import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import type { Role } from '../../src/ground/http/chain/roles.ts'
import { markCredentialEnded } from '../../src/identity/issuer/index.ts'
import {
  ask,
  clock,
  closeConsole,
  cookieFor,
  ended,
  hourMs,
  inside,
  keysOf,
  newKey,
  newOrganization,
  openConsole,
  ours,
  service,
  session,
  signIn,
  statusOf,
} from '../support/own-console.ts'
import { begin, enter, giveAccess, type Person } from '../support/own-people.ts'
import { refused } from '../support/refused.ts'

beforeAll(openConsole)
afterAll(closeConsole)
beforeEach(newOrganization)

const sessions = '/organizations/console-sessions'

describe('A session that stands for a person', () => {
  test('It tells who it is, by which roles, what they may do, and when they authenticated', async () => {
    const { cookie, personId } = await enter(['reader', 'support'])
    const { id, expires_at, authenticated_at, ...result } = (await ask(cookie, 'GET', session)).body.result
    expect(result).toEqual({
      organization_id: ours.id,
      name: 'Ours',
      by: {
        type: 'person',
        id: personId,
        name: expect.stringMatching(/^jo-.*@example\.com$/),
        roles: ['support', 'reader'],
      },
      scopes: expect.arrayContaining(['deliveries:write', 'groups:read', 'audit-log:read']),
    })
    expect(result.scopes).not.toContain('groups:write')
    expect(Math.abs(Date.parse(authenticated_at) - Date.now())).toBeLessThan(60_000)
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now() + 7 * hourMs)
    expect((await ask(cookie, 'GET', '/console/sessions')).body.result).toMatchObject([{ id, by: result.by }])
  })

  test('What it changes is entered in the audit log as the person, whose name is not kept', async () => {
    const { cookie, personId } = await enter(['editor'])
    expect((await ask(cookie, 'POST', '/groups', {}, { name: 'engineering' })).status).toBe(201)
    await ask(cookie, 'DELETE', session)
    const rows = await inside.read.rows(
      sql<{ action: string; actor_type: string; actor_name: string | null }>`
        select action, actor_type, actor_name from audit_entries
         where org_id = ${ours.id} and actor_id = ${personId} order by position`,
    )
    expect(rows).toEqual(
      ['createConsoleSession', 'createGroup', 'deleteConsoleSession'].map((action) => ({
        action,
        actor_type: 'person',
        actor_name: null,
      })),
    )
  })

  test('One more than a hundred of one person ends the oldest', async () => {
    const person = await enter(['reader'])
    for (let count = 1; count < 100; count++) await begin(ours, person.personId, person)
    expect(await statusOf(person.cookie)).toBe(200)
    await begin(ours, person.personId, person)
    expect(await statusOf(person.cookie)).toBe(401)
  })

  test('None begins for a person without a role, who was deactivated, or whose sign-in has ended', async () => {
    const person = await enter(['reader'])
    const again = () => begin(ours, person.personId, person)
    await inside.write.rows(sql`delete from console_access where org_id = ${ours.id}`)
    await expect(again()).rejects.toThrow('no group of this person may enter the console')
    await giveAccess(ours, person.group, 'reader')
    await service.as(ours, 'PATCH', `/persons/${person.personId}`, { active: false })
    await expect(again()).rejects.toThrow('has ended')
  })
})

type End = (person: Person) => Promise<unknown>
const endings: [string, End][] = [
  [
    'is taken out of the group',
    ({ personId, group }) => service.as(ours, 'DELETE', `/persons/${personId}/groups/${group}`),
  ],
  [
    'is in a group that opens the console no more',
    () => inside.write.rows(sql`delete from console_access where org_id = ${ours.id}`),
  ],
  ['is deactivated', ({ personId }) => service.as(ours, 'PATCH', `/persons/${personId}`, { active: false })],
  [
    'is deactivated, and has a sign-in that was under way',
    ({ personId }) =>
      inside.write.rows(sql`update persons set active = false where org_id = ${ours.id} and id = ${personId}`),
  ],
  ['is deleted', ({ personId }) => service.as(ours, 'DELETE', `/persons/${personId}`)],
  ['is signed out by an administrator', ({ personId }) => service.as(ours, 'DELETE', `/persons/${personId}/sessions`)],
  [
    'has signed out at the issuer',
    ({ sessionUid }) =>
      inside.write.rows(sql`delete from issuer_sessions where org_id = ${ours.id} and uid = ${sessionUid}`),
  ],
  [
    'has a session of the issuer that has expired',
    ({ sessionUid }) =>
      inside.write.rows(sql`
        update issuer_sessions set expires_at = ${new Date(clock.now() - 1)} where org_id = ${ours.id} and uid = ${sessionUid}`),
  ],
  [
    'has a session of the issuer that became that of somebody else',
    async ({ sessionUid }) => {
      const other = await enter(['reader'])
      await inside.write.rows(sql`
        update issuer_sessions set person_id = ${other.personId} where org_id = ${ours.id} and uid = ${sessionUid}`)
    },
  ],
  [
    'signed in by a credential that has ended',
    ({ credentialId }) =>
      inside.transaction((tx) =>
        markCredentialEnded(tx, ours.id, credentialId, new Date(clock.now() + 1_000).toISOString()),
      ),
  ],
  ['is of an organization that was deleted', () => service.operate('DELETE', `/organizations/${ours.id}`)],
  [
    'has a session that an administrator ended',
    async () => {
      const { body } = await service.as(ours, 'GET', sessions)
      return service.as(ours, 'DELETE', `${sessions}/${body.result[0].id}`)
    },
  ],
  [
    'has not used it for eight hours',
    async () => {
      clock.aheadMs += 8 * hourMs
    },
  ],
]

describe('The end of such a session', () => {
  // Proves console/8, console/18.
  test.each(endings)('At the very next call, where the person %s', async (_name, end) => {
    const person = await enter(['reader'])
    expect((await ask(person.cookie, 'GET', '/groups')).status).toBe(200)
    await end(person)
    expect(await ask(person.cookie, 'GET', '/groups')).toMatchObject(ended)
    expect(await ask(person.cookie, 'GET', session)).toMatchObject(ended)
  })

  test('After 24 hours, however much it is used', async () => {
    const { cookie } = await enter(['reader'])
    for (let hours = 0; hours < 23; hours++) {
      clock.aheadMs += hourMs
      expect(await statusOf(cookie)).toBe(200)
    }
    clock.aheadMs += hourMs
    expect(await statusOf(cookie)).toBe(401)
  })

  // Proves console/18.
  test('Of two groups the other one keeps the session, with its role alone', async () => {
    const { cookie, personId, group } = await enter(['editor', 'reader'])
    expect((await ask(cookie, 'POST', '/groups', {}, { name: 'first' })).status).toBe(201)
    await service.as(ours, 'DELETE', `/persons/${personId}/groups/${group}`)
    expect(await ask(cookie, 'POST', '/groups', {}, { name: 'second' })).toMatchObject(
      refused(403, 'role: the role reader lacks the scope groups:write'),
    )
    expect((await ask(cookie, 'GET', '/groups')).body.result).toContain('first')
  })
})

describe('Roles', () => {
  const write = { groups: '/groups', persons: '/persons', keys: '/organizations/api-keys' }
  const tries: [Role, Record<keyof typeof write, number>][] = [
    ['owner', { groups: 201, persons: 201, keys: 201 }],
    ['editor', { groups: 201, persons: 201, keys: 403 }],
    ['support', { groups: 403, persons: 403, keys: 403 }],
    ['reader', { groups: 403, persons: 403, keys: 403 }],
  ]
  test.each(tries)('%s: what it makes', async (role, expected) => {
    const { cookie } = await enter([role])
    const make = async (path: string) =>
      (await ask(cookie, 'POST', path, {}, path === '/groups' ? { name: 'made' } : {})).status
    const statuses = Object.entries(write).map(async ([name, path]) => [name, await make(path)])
    expect(Object.fromEntries(await Promise.all(statuses))).toEqual(expected)
    expect((await ask(cookie, 'GET', '/organizations/audit-log')).status).toBe(200)
  })

  test('Support ends the sessions of persons and tests sign-ins, and changes nothing else of either', async () => {
    const { cookie } = await enter(['support'])
    const person = await enter(['reader'])
    const path = `/persons/${person.personId}`
    expect((await ask(cookie, 'GET', `${path}/sessions`)).body.result).toHaveLength(1)
    // Whoever may enter the console is for owners.
    expect((await ask(cookie, 'DELETE', `${path}/sessions`)).status).toBe(403)
    await service.as(ours, 'DELETE', `/groups/${person.group}/persons/${person.personId}`)
    expect((await ask(cookie, 'DELETE', `${path}/sessions`)).status).toBe(204)
    const credentials = '/organizations/sso/oidc/provider-credentials'
    const fields = { client_id: 'tried', client_secret: 'x', provider: 'provider_a' }
    await service.as(ours, 'POST', credentials, fields)
    const { status, body } = await ask(cookie, 'POST', `${credentials}/tried/test`)
    expect(status).toBe(201)
    expect((await ask(cookie, 'GET', `${credentials}/tried/test/${body.result.id}`)).status).toBe(200)
    for (const [method, at, sent] of [
      ['PATCH', path, { active: false }],
      ['PATCH', `${credentials}/tried`, { label: 'x' }],
      ['DELETE', path, undefined],
    ] as const)
      expect(await ask(cookie, method, at, {}, sent)).toMatchObject({ status: 403 })
  })

  test('An owner is an admin key everywhere: what only those do, and what only those see', async () => {
    const { cookie } = await enter(['owner'])
    const handle = { type: 'EmailAddress', value: 'vouched@example.com', verified: true }
    expect((await ask(cookie, 'POST', '/persons', {}, { handles: [handle] })).status).toBe(201)
    expect(
      (await ask(cookie, 'POST', '/organizations/sso/oidc/credential-links', {}, { provider: 'provider_a' })).status,
    ).toBe(201)
    const fields = { name: 'Receiver', target_url: 'https://receiver.example.com/', custom_headers: { 'x-y': ['z'] } }
    const { status, body } = await ask(cookie, 'POST', '/organizations/webhooks', {}, fields)
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.result.custom_headers).toEqual({ 'x-y': ['z'] })
  })

  test('For a person a refusal is a sentence about the role', async () => {
    const { cookie } = await enter(['reader', 'support'])
    const link = { provider: 'provider_a' }
    expect(await ask(cookie, 'POST', '/organizations/sso/oidc/credential-links', {}, link)).toMatchObject(
      refused(403, 'role: the roles support and reader may not do this; only an owner may'),
    )
    const editor = await enter(['editor'])
    const hook = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
    const webhook = await ask(
      editor.cookie,
      'POST',
      '/organizations/webhooks',
      {},
      { name: 'Receiver', target_url: 'https://receiver.example.com/' },
    )
    expect(
      await ask(editor.cookie, 'POST', `/organizations/webhooks/${webhook.body.result.id}/triggers`, {}, hook),
    ).toMatchObject(refused(403, 'trigger_type: the role editor lacks the scope hooks:write'))
  })

  // Proves console/18.
  test('A person who stops being an owner while their call waits makes no key', async () => {
    const { cookie, personId, group } = await enter(['owner'])
    let made: ReturnType<typeof ask> | undefined
    await inside.transaction(async (tx) => {
      await tx.rows(sql`select from organizations where id = ${ours.id} for update`)
      made = ask(cookie, 'POST', '/organizations/api-keys', {}, {})
      const waiting = () =>
        inside.read.rows(
          sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
      await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBeGreaterThan(0)
      await inside.write.rows(sql`
        delete from memberships where org_id = ${ours.id} and person_id = ${personId} and group_name = ${group}`)
    })
    expect(await made).toMatchObject(ended)
    const keys = await service.as(ours, 'GET', '/organizations/api-keys')
    expect(keys.body.result.map(({ name }: { name: string }) => name)).toEqual(['First key'])
  })
})

describe('Two browsers, and two organizations in one', () => {
  test('What ends in one browser goes on in the other', async () => {
    const person = await enter(['reader'])
    const second = await begin(ours, person.personId, person)
    await ask(person.cookie, 'DELETE', session)
    expect([await statusOf(person.cookie), await statusOf(second)]).toEqual([401, 200])
  })

  test('A person here and a key there are side by side, and each page goes on with its own', async () => {
    const key = await cookieFor(keysOf(ours))
    const theirs = await service.organization({ name: 'Theirs' })
    const { cookie } = await enter(['reader'], { at: theirs, browser: key })
    const jar = `${key}; ${cookie}`
    const by = async (id: string) =>
      (
        await service.send('GET', session, {
          'service-console': '1',
          'sec-fetch-site': 'same-origin',
          'service-orgid': id,
          cookie: jar,
        })
      ).body.result.by.type
    expect([await by(ours.id), await by(theirs.id)]).toEqual(['key', 'person'])
  })

  test('Of one organization the later sign-in replaces the earlier one, and a page of the earlier is told so', async () => {
    const key = await cookieFor(keysOf(ours))
    const person = await enter(['owner'], { browser: key })
    expect(await statusOf(key)).toBe(401)
    const reply = await signIn(keysOf(ours), { cookie: person.cookie })
    expect(reply.status).toBe(204)
    expect(await statusOf(person.cookie)).toBe(401)
    const cookie = (reply.headers['set-cookie']?.[0] ?? '').split(';', 1)[0] ?? ''
    expect(await ask(cookie, 'GET', '/groups', { 'service-console': 'none' })).toMatchObject({ status: 409 })
  })
})

describe('Where keys open the console no more', () => {
  const closeToKeys = () =>
    inside.write.rows(sql`update organizations set console_key_sign_in = false where id = ${ours.id}`)
  const closed = refused(
    403,
    'api_key: opens no console of this organization, whose administrators continue with their provider; ask an owner',
  )

  // Proves console/22.
  test('A key is refused, its sessions end at the next request, and everything else goes on', async () => {
    const key = await cookieFor(keysOf(ours))
    const operator = await cookieFor({ operator_key: service.operatorKey })
    const { cookie } = await enter(['reader'])
    await closeToKeys()
    expect(await ask(key, 'GET', '/groups')).toMatchObject(ended)
    expect(await signIn(keysOf(ours))).toMatchObject(closed)
    expect((await ask(cookie, 'GET', '/groups')).status).toBe(200)
    expect((await ask(operator, 'GET', '/organizations')).status).toBe(200)
    expect((await service.as(ours, 'GET', '/groups')).status).toBe(200)
  })

  test('Only whoever has a key is told that it opens no console', async () => {
    await closeToKeys()
    expect(await signIn({ ...keysOf(ours), api_key: 'wrong' })).toMatchObject({ status: 401 })
  })
})

test('An API key in a header is accepted as before beside a session of a person', async () => {
  const { cookie } = await enter(['reader'])
  const key = await newKey({ scopes: ['groups:write'] })
  const headers = { 'service-api-key': key.apiKey }
  expect((await ask(cookie, 'POST', '/groups', headers, { name: 'by-key' })).status).toBe(201)
})
