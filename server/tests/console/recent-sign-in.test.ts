import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  clock,
  closeConsole,
  cookieFor,
  hourMs,
  keysOf,
  newOrganization,
  openConsole,
  ours,
  service,
  session,
} from '../support/own-console.ts'
import { begin, enter } from '../support/own-people.ts'
import { refused } from '../support/refused.ts'

beforeAll(openConsole)
afterAll(closeConsole)
beforeEach(newOrganization)

const keys = '/organizations/api-keys'
const notRecent = refused(401, 'Cookie: this needs a sign-in younger than an hour; sign in again')
const create = (cookie: string) => ask(cookie, 'POST', keys, {}, {})

describe('What is grave', () => {
  // Proves console/20.
  test.each([
    ['a key', async () => cookieFor(keysOf(ours))],
    ['a person', async () => (await enter(['owner'])).cookie],
  ])('By %s it needs a sign-in younger than an hour', async (_name, signIn) => {
    const cookie = await signIn()
    const { authenticated_at: at } = (await ask(cookie, 'GET', session)).body.result
    // The sign-in was then; the clock of this test goes on by itself.
    const until = Date.parse(at) + hourMs
    clock.aheadMs = until - 30_000 - Date.now()
    expect((await create(cookie)).status).toBe(201)
    clock.aheadMs = until - Date.now()
    const reply = await create(cookie)
    expect(reply).toMatchObject(notRecent)
    expect(reply.headers['signet-error']).toBe('sign_in_not_recent')
    // The session itself goes on.
    expect((await ask(cookie, 'POST', '/groups', {}, { name: 'made' })).status).toBe(201)
  })

  // Proves console/20.
  test.each([
    ['a key', async () => cookieFor(keysOf(ours))],
    ['an owner', async () => (await enter(['owner'])).cookie],
  ])(
    'By %s so does every way into a group that opens the console, and every change of its members but the end of sessions',
    async (_name, signIn) => {
      const cookie = await signIn()
      const [member, other] = [await enter(['reader']), await enter(['editor'])]
      const [path, groups] = [`/persons/${member.personId}`, [other.group]]
      const changes: [method: string, path: string, body: unknown][] = [
        ['POST', `/groups/${other.group}/persons`, { persons: [member.personId] }],
        ['DELETE', `/groups/${member.group}/persons/${member.personId}`, undefined],
        ['POST', `${path}/groups`, { groups }],
        ['PUT', `${path}/groups`, { groups }],
        ['DELETE', `${path}/groups/${member.group}`, undefined],
        ['POST', '/persons', { groups }],
        ['PATCH', path, { active: false }],
      ]
      clock.aheadMs = hourMs
      for (const [method, at, body] of changes)
        expect(await ask(cookie, method, at, {}, body), at).toMatchObject(notRecent)
      expect((await ask(cookie, 'PUT', `${path}/groups`, {}, { groups: [member.group] })).status).toBe(200)
      expect((await ask(cookie, 'DELETE', `${path}/sessions`)).status).toBe(204)
      // A key in a header is never asked.
      const [[method, at, body]] = changes as [(typeof changes)[number]]
      expect((await service.as(ours, method, at, body)).status).toBe(201)
    },
  )

  test('A key that is pasted again makes it recent, in a session of its own', async () => {
    const first = await cookieFor(keysOf(ours))
    clock.aheadMs = hourMs
    expect(await create(first)).toMatchObject(notRecent)
    const second = await cookieFor(keysOf(ours))
    expect((await create(second)).status).toBe(201)
  })

  test('A person who signs in again goes on with a new session', async () => {
    const person = await enter(['owner'])
    clock.aheadMs = hourMs
    expect(await create(person.cookie)).toMatchObject(notRecent)
    const again = await begin(ours, person.personId, person, person.cookie)
    expect((await create(again)).status).toBe(201)
  })

  test('A key in a header is never asked', async () => {
    clock.aheadMs = 100 * hourMs
    const { status, body } = await service.as(ours, 'POST', keys, {})
    expect(status).toBe(201)
    expect((await service.as(ours, 'DELETE', `${keys}/${body.result.id}`)).status).toBe(204)
  })

  test('Whoever may not do it at all is told that first', async () => {
    const { cookie } = await enter(['reader'])
    clock.aheadMs = hourMs
    expect(await create(cookie)).toMatchObject({ status: 403 })
  })

  test.each(['/organizations/webhooks/verification-keys/rotate', '/organizations/sso/oidc/signing-keys/rotate'])(
    'An emergency rotation is, and any other is not: %s',
    async (path) => {
      const { cookie } = await enter(['owner'])
      clock.aheadMs = hourMs
      expect(await ask(cookie, 'POST', path, {}, { emergency: true })).toMatchObject(notRecent)
      expect(await ask(cookie, 'POST', path, {}, { emergency: false })).not.toMatchObject({ status: 401 })
      clock.aheadMs = 0
      expect(await ask(cookie, 'POST', path, {}, { emergency: true })).not.toMatchObject({ status: 401 })
    },
  )

  test("The operator's session is asked too", async () => {
    const cookie = await cookieFor({ operator_key: service.operatorKey })
    clock.aheadMs = hourMs
    const path = `/organizations/${ours.id}`
    expect(await ask(cookie, 'DELETE', path)).toMatchObject(notRecent)
    expect(await ask(cookie, 'POST', `${path}/api-keys`, {}, {})).toMatchObject(notRecent)
    const again = await cookieFor({ operator_key: service.operatorKey })
    expect((await ask(again, 'DELETE', path)).status).toBe(204)
  })
})

/** Those that are not grave, and why. */
const undone: Record<string, string> = {
  deleteConsoleInvitation: 'another invitation does what it did, and taking one back has to be quick',
  deleteCredentialLink: 'another link does what it did',
  deleteDirectoryLink: 'another link does what it did',
  deleteLogo: 'the picture can be uploaded again',
  deleteTrigger: 'a trigger has nothing but its type and its event',
  endConsoleSession: 'whoever still may signs in again',
  endPersonSession: 'the person signs in again, and support has to be quick',
  endPersonSessions: 'the person signs in again, and support has to be quick',
  removeGroupMember: 'the person can be added again',
  removePersonGroup: 'the person can be added again',
}

// Proves console/20.
test('Every operation that deletes is grave, or what it deletes can be made again as it was', async () => {
  const { body } = await service.call('GET', '/openapi.json')
  type Described = { operationId: string; description?: string }
  const deleting = Object.values<Record<string, Described>>(body.paths).flatMap((methods) => methods.delete ?? [])
  expect(deleting.length).toBeGreaterThan(15)
  const grave = 'In the console it needs a sign-in younger than an hour.'
  const others = deleting.filter(({ description = '' }) => !description.includes(grave))
  expect(others.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(undone).sort())
})

test('Every operation that is said to be grave asks for it', async () => {
  const { body } = await service.call('GET', '/openapi.json')
  const { cookie } = await enter(['owner'])
  const operator = await cookieFor({ operator_key: service.operatorKey })
  clock.aheadMs = hourMs
  const id = '01890a5d-ac96-774b-bcce-b302099a8057'
  for (const [path, methods] of Object.entries<Record<string, { description?: string; security: object[] }>>(
    body.paths,
  ))
    for (const [method, { description = '', security }] of Object.entries(methods)) {
      if (!description.includes('In the console it needs a sign-in younger than an hour.')) continue
      const by = 'operator' in (security[0] ?? {}) ? operator : cookie
      const reply = await ask(by, method.toUpperCase(), path.replaceAll(/\{\w+\}/g, id))
      expect(reply, `${method} ${path}`).toMatchObject(notRecent)
    }
})
