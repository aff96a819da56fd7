import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import {
  ask,
  clock,
  closeConsole,
  cookieFor,
  ended,
  hourMs,
  ids,
  inside,
  keysOf,
  newKey,
  newOrganization,
  openConsole,
  ours,
  service,
  session,
} from '../support/own-console.ts'
import { enter } from '../support/own-people.ts'
import { refused } from '../support/refused.ts'

beforeAll(openConsole)
afterAll(closeConsole)
beforeEach(newOrganization)

const path = '/organizations/console-sessions'
const notFound = refused(404, 'console session: not found')

describe('The sessions of an organization', () => {
  // Proves console/21.
  test('An owner sees who is signed in, in which browser and from where, and which session is their own', async () => {
    const key = await newKey({ name: 'Laptop' })
    const byKey = await cookieFor(keysOf(key))
    const { cookie, personId } = await enter(['owner'], { name: 'ada' })
    const { status, body } = await ask(cookie, 'GET', path)
    expect(status).toBe(200)
    const common = {
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
      client_ip_address: expect.stringMatching(/^192\.0\.2\.\d+$/),
    }
    const name = expect.stringMatching(/^ada-/)
    expect(body.result).toEqual([
      {
        ...common,
        id: ids.get(cookie),
        by: { type: 'person', id: personId, name },
        user_agent: 'Firefox',
        is_current: true,
      },
      { ...common, id: ids.get(byKey), by: { type: 'key', id: key.keyId, name: 'Laptop' }, is_current: false },
    ])
    expect(body.meta.pagination.total_count).toBe(2)
    const second = await ask(cookie, 'GET', `${path}?limit=1&offset=1`)
    expect(second.body.result).toEqual([body.result[1]])
  })

  test('It has none that a request would be refused with', async () => {
    const idle = await cookieFor(keysOf(ours))
    clock.aheadMs = 8 * hourMs
    const { cookie } = await enter(['owner'])
    const gone = await enter(['reader'])
    await service.as(ours, 'DELETE', `/persons/${gone.personId}/groups/${gone.group}`)
    const key = await newKey({ expires_at: new Date(clock.now() + hourMs).toISOString() })
    const byKey = await cookieFor(keysOf(key))
    const listed = async () => (await ask(cookie, 'GET', path)).body.result.map(({ id }: { id: string }) => id)
    expect(await listed()).toEqual([ids.get(byKey), ids.get(cookie)])
    expect(await listed()).not.toContain(ids.get(idle))
    await inside.write.rows(sql`update organizations set console_key_sign_in = false where id = ${ours.id}`)
    expect(await listed()).toEqual([ids.get(cookie)])
  })

  test('Whoever is neither an admin key nor an owner neither sees nor ends any', async () => {
    const { cookie } = await enter(['editor'])
    const narrow = await newKey({ scopes: ['settings:write', 'api-keys:write', 'persons:write'] })
    const refusal = { status: 403 }
    expect(await ask(cookie, 'GET', path)).toMatchObject(refusal)
    expect(await ask(cookie, 'DELETE', `${path}/${ids.get(cookie)}`)).toMatchObject(refusal)
    expect(await service.as(narrow, 'GET', path)).toMatchObject(refusal)
    expect(await service.as(narrow, 'DELETE', `${path}/${ids.get(cookie)}`)).toMatchObject(refusal)
    expect((await ask(cookie, 'GET', session)).status).toBe(200)
  })

  // Proves console/21.
  test('One is ended at once, also the own one, and the audit log has whose it was', async () => {
    const owner = await enter(['owner'])
    const reader = await enter(['reader'])
    const id = ids.get(reader.cookie) as string
    expect((await ask(owner.cookie, 'DELETE', `${path}/${id}`)).status).toBe(204)
    expect(await ask(reader.cookie, 'GET', '/groups')).toMatchObject(ended)
    expect(await ask(owner.cookie, 'DELETE', `${path}/${id}`)).toMatchObject(notFound)
    const { body } = await service.as(ours, 'GET', '/organizations/audit-log?action=endConsoleSession')
    expect(body.result).toMatchObject([
      {
        actor: { type: 'person', id: owner.personId },
        target: { type: 'console_session', id },
        before: { by: { type: 'person', id: reader.personId }, ends_at: expect.any(String) },
        after: null,
      },
    ])
    const own = ids.get(owner.cookie)
    expect((await ask(owner.cookie, 'DELETE', `${path}/${own}`)).status).toBe(204)
    expect(await ask(owner.cookie, 'GET', '/groups')).toMatchObject(ended)
  })

  test("Nobody ends another organization's, and an id that is none is not found", async () => {
    const theirs = await service.organization({ name: 'Theirs' })
    const cookie = await cookieFor(keysOf(theirs))
    for (const id of [ids.get(cookie), 'x'])
      expect(await service.as(ours, 'DELETE', `${path}/${id}`)).toMatchObject(notFound)
    expect((await ask(cookie, 'GET', session)).status).toBe(200)
    expect((await service.as(ours, 'GET', path)).body.result).toEqual([])
  })
})
