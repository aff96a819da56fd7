import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '../../src/ground/http/chain/roles.ts'
import { makeAdministrator, waitingStatements } from '../support/administrators.ts'
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

const settings = '/organizations/settings'

beforeAll(openOwnKeys)
beforeEach(newOrganization)
afterAll(closeOwnKeys)

const get = async () => (await ask('GET', settings)).body.result
const change = (body: unknown, by = ours) => ask('PATCH', settings, body, by)
const access = (group: string, role: string) => ({ group, role })
const administrator = (role: Role, more = {}) => makeAdministrator(signet, inside, ours, { role, ...more })

describe('The setting console_access', () => {
  test('It is empty at first, is replaced as a whole, is shown in byte order, and null empties it', async () => {
    expect(await get()).toMatchObject({ console_access: [], console_key_sign_in: true })
    for (const name of ['readers', 'Owners']) await make('/groups', { name })
    const given = [access('readers', 'reader'), access('Owners', 'owner')]
    const shown = given.toReversed()
    expect(await change({ console_access: given })).toMatchObject({ body: { result: { console_access: shown } } })
    expect(await change({ self_registration: false })).toMatchObject({ body: { result: { console_access: shown } } })
    await change({ console_access: [access('readers', 'editor')] })
    expect((await get()).console_access).toEqual([access('readers', 'editor')])
    expect(await change({ console_access: null })).toMatchObject({ body: { result: { console_access: [] } } })
  })

  test('A group that does not exist, one that is there twice, a role that is none, and more than 20: 400 that names each', async () => {
    await make('/groups', { name: 'staff' })
    const bad = [
      access('staff', 'owner'),
      access('nobody', 'owner'),
      access('staff', 'reader'),
      access('no one', 'king'),
    ]
    expect(await change({ console_access: bad })).toMatchObject(
      refused(
        400,
        'console_access[3].role: must be one of owner, editor, support, reader',
        'console_access[2].group: is the same as console_access[0].group',
        'console_access[1].group: nobody does not exist',
      ),
    )
    const many = Array.from({ length: 21 }, (_, n) => access(`group-${n}`, 'reader'))
    expect(await change({ console_access: many })).toMatchObject({ status: 400 })
    for (const { group } of many) await make('/groups', { name: group })
    expect((await change({ console_access: many.slice(1) })).status).toBe(200)
    for (const body of [
      { console_access: 'staff' },
      { console_access: [{ group: 'staff' }] },
      { console_key_sign_in: 1 },
    ])
      expect(await change(body)).toMatchObject({ status: 400 })
    expect((await get()).console_access).toHaveLength(20)
  })

  test('A key that may not change it learns by no refusal which groups there are', async () => {
    await make('/groups', { name: 'staff' })
    const narrow = await keyWith('settings:write')
    const ask = async (group: string) => (await change({ console_access: [access(group, 'king')] }, narrow)).body.errors
    expect(await ask('staff')).toEqual(await ask('nobody'))
    const mixed = [access('nobody', 'owner'), access('staff', 'king')]
    expect(await change({ console_access: mixed }, narrow)).toMatchObject(
      refused(403, 'console_access: may be changed by admin keys and owners only'),
    )
  })

  test('Narrow keys and other roles change neither it nor what else decides who comes in: 403 that names each field', async () => {
    const narrow = await keyWith('settings:write')
    await administrator('owner')
    const before = await get()
    const fields = {
      link_by_verified_email: true,
      branding: {},
      console_access: [],
      console_key_sign_in: true,
    }
    const rules = Object.keys(fields).map((name) => `${name}: may be changed by admin keys and owners only`)
    expect(await change({ ...fields, self_registration: false }, narrow)).toMatchObject(refused(403, ...rules))
    for (const role of ['editor', 'support', 'reader'] as const)
      expect((await (await administrator(role)).call('PATCH', settings, fields)).status).toBe(403)
    expect({ ...(await get()), console_access: [] }).toEqual({ ...before, console_access: [] })
    expect((await change({ self_registration: false }, narrow)).status).toBe(200)
  })

  test('It is in the audit log with what it was and what it is', async () => {
    await make('/groups', { name: 'staff' })
    await change({ console_access: [access('staff', 'reader')] })
    const [entry] = (await ask('GET', '/organizations/audit-log?action=changeSettings')).body.result
    expect(entry).toMatchObject({
      before: { console_access: [], console_key_sign_in: true },
      after: { console_access: [access('staff', 'reader')] },
    })
  })

  test.each([
    ['console_access', { console_access: [{ group: 'owners', role: 'owner' }] }],
    ['console_key_sign_in', { console_key_sign_in: false }],
  ])('An owner needs a recent sign-in for %s, and for no other setting: 401', async (_name, body) => {
    const owner = await administrator('owner', { signedInAgoMs: 2 * 3_600_000 })
    const { status, headers } = await owner.call('PATCH', settings, body)
    expect({ status, error: headers.get('signet-error') }).toEqual({ status: 401, error: 'sign_in_not_recent' })
    expect((await owner.call('PATCH', settings, { self_registration: false })).status).toBe(200)
    expect((await (await administrator('owner')).call('PATCH', settings, body)).status).toBe(200)
  })

  test('A group that is deleted while it is being named is named by nobody: 400', async () => {
    await make('/groups', { name: 'staff' })
    await inside.query('begin')
    await inside.query(`delete from groups where org_id = '${ours.id}' and name = 'staff'`)
    const answer = change({ console_access: [access('staff', 'owner')] })
    const waiting = waitingStatements
    await expect.poll(async () => (await inside.query(waiting)).rows[0].count, { timeout: 30_000 }).toBe(1)
    await inside.query('commit')
    expect(await answer).toMatchObject(refused(400, 'console_access[0].group: staff does not exist'))
  })
})
