import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drawPosition } from '../support/draw-position.ts'
import { refused } from '../support/refused.ts'
import { type Answer, type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

const path = '/organizations/audit-log'
const jo = { type: 'EmailAddress', value: 'jo@example.com' }

let signet: OwnSignet
let inside: pg.Client

beforeAll(async () => {
  signet = await startOwnSignet({ env: { SIGNET_ROLES: 'api' } })
  inside = new pg.Client(signet.database)
  await inside.connect()
})

afterAll(async () => {
  await inside?.end()
  await signet?.stop()
})

type Entry = {
  id: string
  at: string
  actor: { type: string; id: string | null; name: string | null }
  action: string
  target: { type: string; id: string; name?: string }
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  request_id: string | null
  client_ip_address: string | null
}

const list = (organization: Organization, query = '') => signet.as(organization, 'GET', `${path}${query}`)
const entriesOf = async (organization: Organization, query = ''): Promise<Entry[]> =>
  (await list(organization, query)).body.result
const newest = async (organization: Organization) => (await entriesOf(organization, '?limit=1'))[0] as Entry
const make = async (organization: Organization, at: string, body: unknown) =>
  (await signet.as(organization, 'POST', at, body)).body.result

/** Answers of writes, and the entry that the last of them has left. */
async function entryOf(organization: Organization, ...[method, at, body]: [string, string, unknown?]) {
  const before = await newest(organization)
  const answer = await signet.as(organization, method, at, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  const after = await newest(organization)
  return after.id === before.id ? undefined : after
}

describe.concurrent('An entry', () => {
  test('An entry says who did what to what, from where, and what it was before', async () => {
    const organization = await signet.organization()
    const key = await make(organization, '/organizations/api-keys', { name: 'Deployment' })
    const deployment = { id: organization.id, apiKey: key.api_key }
    await make(deployment, '/groups', { name: 'staff', description: 'Old' })
    const headers = { 'X-Request-Id': 'request-17' }
    await signet.as(deployment, 'PATCH', '/groups/staff', { description: 'New' }, headers)
    const [changed, created] = await entriesOf(organization)
    const created_at = expect.any(String)
    expect(changed).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: { type: 'key', id: key.id, name: 'Deployment' },
      action: 'changeGroup',
      target: { type: 'group', id: 'staff', name: 'staff' },
      before: { name: 'staff', description: 'Old', members_count: 0, created_at },
      after: { name: 'staff', description: 'New', members_count: 0, created_at },
      request_id: 'request-17',
      client_ip_address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    })
    expect(created).toMatchObject({ action: 'createGroup', before: null, after: { description: 'Old' } })
  })

  test('The name of a revoked key stays in the entries of what it did', async () => {
    const organization = await signet.organization()
    const key = await make(organization, '/organizations/api-keys', { name: 'Short-lived' })
    await make({ id: organization.id, apiKey: key.api_key }, '/groups', { name: 'staff' })
    const revoked = await entryOf(organization, 'DELETE', `/organizations/api-keys/${key.id}`)
    expect(revoked).toMatchObject({ target: { type: 'api_key', id: key.id }, before: { name: 'Short-lived' } })
    const [entry] = await entriesOf(organization, '?action=createGroup')
    expect(entry?.actor).toEqual({ type: 'key', id: key.id, name: 'Short-lived' })
  })

  test('What the operator does to an organization is in the log of that organization', async () => {
    const organization = await signet.organization({ name: 'Before' })
    await signet.operate('PATCH', `/organizations/${organization.id}`, { name: 'After' })
    const [changed, created] = await entriesOf(organization, '?actor=operator')
    const actor = { type: 'operator', id: null, name: null }
    expect(changed).toMatchObject({ actor, action: 'changeOrganization', before: { name: 'Before' } })
    expect(created).toMatchObject({ actor, action: 'createOrganization', after: { name: 'Before', api_key: '***' } })
  })

  test('A write that changes nothing leaves no entry', async () => {
    const organization = await signet.organization()
    const { person_id } = await make(organization, '/persons', { handles: [jo] })
    const webhook = await make(organization, '/organizations/webhooks', {
      name: 'Webhook',
      target_url: 'https://receiver.example.com/',
      custom_headers: { authorization: ['one'] },
    })
    const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
    const triggers = `/organizations/webhooks/${webhook.id}/triggers`
    for (const [method, at, body] of [
      ['POST', '/groups', { name: 'staff' }],
      ['POST', triggers, trigger],
      ['PUT', `/persons/${person_id}/groups`, { groups: ['staff'] }],
    ] as const)
      expect(await entryOf(organization, method, at, body)).toBeDefined()
    for (const [method, at, body] of [
      ['POST', '/groups', { name: 'staff', description: 'Another' }],
      ['PATCH', '/groups/staff', {}],
      ['POST', '/groups/staff/persons', { persons: [person_id] }],
      ['POST', triggers, trigger],
      ['PUT', `/persons/${person_id}/groups`, { groups: ['staff', 'staff'] }],
      ['POST', `/persons/${person_id}/groups`, { groups: ['staff'] }],
      ['PATCH', `/persons/${person_id}`, { active: true, handles: [jo] }],
      ['PATCH', '/organizations/settings', { self_registration: true }],
      ['PATCH', `/organizations/webhooks/${webhook.id}`, { custom_headers: { authorization: ['one'] } }],
    ] as const)
      expect(await entryOf(organization, method, at, body), `${method} ${at}`).toBeUndefined()
  })

  test('A secret that replaces another leaves an entry, though neither is shown', async () => {
    const organization = await signet.organization()
    const fields = { client_id: 'client', client_secret: 'first-secret', provider: 'provider_a' }
    const credentials = '/organizations/sso/oidc/provider-credentials'
    expect(await entryOf(organization, 'POST', credentials, fields)).toMatchObject({ after: { client_secret: '***' } })
    const changes = { client_secret: 'second-secret' }
    const changed = await entryOf(organization, 'PATCH', `${credentials}/client`, changes)
    expect(changed).toMatchObject({ target: { id: 'client' }, after: { client_secret: '***', client_id: 'client' } })
    const webhook = await make(organization, '/organizations/webhooks', {
      name: 'Webhook',
      target_url: 'https://receiver.example.com/',
      custom_headers: { authorization: ['one'] },
    })
    const at = `/organizations/webhooks/${webhook.id}`
    const replaced = await entryOf(organization, 'PATCH', at, { custom_headers: { authorization: ['two', 'three'] } })
    for (const shown of [replaced?.before, replaced?.after]) expect(shown).toMatchObject({ custom_headers: '***' })
  })

  test('A handle leaves its type and a hash, the same for every spelling of it within the organization only', async () => {
    const [one, two] = [await signet.organization(), await signet.organization()]
    const handlesOf = async (organization: Organization, value: string) => {
      const { person_id } = await make(organization, '/persons', { handles: [{ ...jo, value }] })
      const deleted = await entryOf(organization, 'DELETE', `/persons/${person_id}`)
      return deleted?.before?.handles as { type: string; hash: string; verified: boolean }[]
    }
    const [handle] = await handlesOf(one, jo.value)
    expect(handle).toEqual({ type: jo.type, hash: expect.stringMatching(/^[\w-]{22}$/), verified: false })
    expect((await handlesOf(one, 'JO@Example.COM'))[0]?.hash).toBe(handle?.hash)
    expect((await handlesOf(one, 'al@example.com'))[0]?.hash).not.toBe(handle?.hash)
    expect((await handlesOf(two, jo.value))[0]?.hash).not.toBe(handle?.hash)
  })

  test('That an admin key vouches for a handle which the person has already is in the entry', async () => {
    const organization = await signet.organization()
    const { person_id } = await make(organization, '/persons', { handles: [jo] })
    const handles = [{ ...jo, verified: true }]
    const entry = await entryOf(organization, 'PATCH', `/persons/${person_id}`, { handles })
    const shown = { type: jo.type, hash: expect.any(String) }
    expect(entry?.before?.handles).toEqual([{ ...shown, verified: false }])
    expect(entry?.after?.handles).toEqual([{ ...shown, verified: true, vouched_by: 'admin_key' }])
  })

  test('Of a long list an entry keeps all that the change added or removed, and a hundred of what stayed', async () => {
    const organization = await signet.organization()
    const names = Array.from({ length: 121 }, (_, n) => `group-${String(n).padStart(3, '0')}`)
    await Promise.all(names.map((name) => make(organization, '/groups', { name })))
    const { person_id } = await make(organization, '/persons', {})
    const set = (groups: string[]) => entryOf(organization, 'PUT', `/persons/${person_id}/groups`, { groups })
    const [first, last] = ['group-000', 'group-120']
    const stayed = names.slice(1, 120)
    expect(await set([first, ...stayed])).toMatchObject({
      before: { groups: [] },
      after: { groups: names.slice(0, 120) },
    })
    const { before, after } = (await set([...stayed, last])) as Entry
    expect(before).toEqual({ groups: [first, ...stayed.slice(0, 100)], groups_count: 120 })
    expect(after).toEqual({ groups: [...stayed.slice(0, 100), last], groups_count: 120 })
  })

  test('That a group is deleted shows in the log who was in it, up to a thousand of them', async () => {
    const organization = await signet.organization()
    const { person_id } = await make(organization, '/persons', {})
    await make(organization, '/groups', { name: 'staff' })
    await make(organization, '/groups/staff/persons', { persons: [person_id] })
    const entry = await entryOf(organization, 'DELETE', '/groups/staff')
    expect(entry?.before).toMatchObject({ name: 'staff', members_count: 1, persons: [person_id] })
  })

  test('Of two requests that create the same group at once, one leaves an entry', async () => {
    const organization = await signet.organization()
    await Promise.all(Array.from({ length: 20 }, () => make(organization, '/groups', { name: 'staff' })))
    expect(await entriesOf(organization, '?action=createGroup')).toHaveLength(1)
  })

  test('Concurrent changes of one thing follow each other in the log', async () => {
    const organization = await signet.organization()
    await make(organization, '/groups', { name: 'staff' })
    const change = (n: number) => signet.as(organization, 'PATCH', '/groups/staff', { description: `${n}` })
    await Promise.all(Array.from({ length: 20 }, (_, n) => change(n)))
    const entries = await entriesOf(organization, '?action=changeGroup')
    expect(entries).toHaveLength(20)
    for (const [index, { before }] of entries.slice(0, -1).entries()) expect(before).toEqual(entries[index + 1]?.after)
  })
})

describe.concurrent('The list', () => {
  let organization: Organization
  let all: Entry[]
  let keyId: string

  beforeAll(async () => {
    organization = await signet.organization()
    const key = await make(organization, '/organizations/api-keys', { name: 'Second' })
    keyId = key.id
    const second = { id: organization.id, apiKey: key.api_key }
    for (let n = 0; n < 6; n++) {
      await make(n % 2 ? organization : second, '/groups', { name: `group-${n}` })
      await signet.as(n % 3 ? organization : second, 'DELETE', `/groups/group-${n}`)
    }
    await signet.operate('PATCH', `/organizations/${organization.id}`, { name: 'Other' })
    all = await entriesOf(organization)
  })

  test('The list is the newest first, and its pages follow each other without a gap', async () => {
    expect(all).toHaveLength(15)
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    const walked: Entry[] = []
    let after = ''
    for (;;) {
      const { body }: Answer = await list(organization, `?limit=4${after}`)
      walked.push(...body.result)
      expect(body.meta.has_more ?? false).toBe(body.meta.next !== undefined)
      if (!body.meta.next) break
      after = `&after=${body.meta.next}`
    }
    expect(walked).toEqual(all)
  })

  test('Every combination of filters gives what fits all of them, page by page', async () => {
    const middle = all[7] as Entry
    const fits: Record<string, (entry: Entry) => boolean> = {
      'action=createGroup': ({ action }) => action === 'createGroup',
      [`actor=${keyId}`]: ({ actor }) => actor.id === keyId,
      'actor=operator': ({ actor }) => actor.type === 'operator',
      'actor=key': ({ actor }) => actor.type === 'key',
      'target=group-3': ({ target }) => target.id === 'group-3',
      [`target=${organization.id}`]: ({ target }) => target.id === organization.id,
      [`since=${middle.at}`]: ({ at }) => at >= middle.at,
      [`until=${middle.at}`]: ({ at }) => at < middle.at,
    }
    const names = Object.keys(fits)
    for (let chosen = 0; chosen < 2 ** names.length; chosen++) {
      const filters = names.filter((_, index) => chosen & (2 ** index))
      if (new Set(filters.map((name) => name.split('=')[0])).size < filters.length) continue
      const fitting = all.filter((entry) => filters.every((name) => fits[name]?.(entry)))
      const query = filters.join('&')
      const { body } = await list(organization, `?limit=2&${query}`)
      const rest = body.meta.next ? await entriesOf(organization, `?after=${body.meta.next}&${query}`) : []
      expect([...body.result, ...rest], query).toEqual(fitting)
    }
  })

  test.each([
    ['action=createGroups', 'action: must be the id of an operation'],
    ['actor=somebody', 'actor: must be an id, or one of key, operator, console, link, person, directory'],
    ['since=yesterday', 'since: must be a time as in RFC 3339'],
    ['until=2026-13-01T00:00:00Z', 'until: must be a time as in RFC 3339'],
    ['since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z', 'since: must not be after until'],
    ['after=elsewhere', 'after: must be a cursor of the audit log'],
  ])('A filter of another form is refused: %s', async (query, message) => {
    expect(await list(organization, `?${query}`)).toMatchObject(refused(400, message))
  })

  test('A cursor of another database, or of a history that a restore has ended, is refused with 410', async () => {
    const { body } = await list(organization, '?limit=1')
    const text = Buffer.from(body.meta.next, 'base64url').toString()
    const foreign = text.replace(/[\da-f]{8}-[\da-f-]{27}/, '0199a3f2-5c00-4000-8000-0242ac120002')
    const refusal = refused(
      410,
      'after: comes from another database, or from a history that a restore has ended; begin without a cursor',
    )
    expect(await list(organization, `?after=${Buffer.from(foreign).toString('base64url')}`)).toMatchObject(refusal)
  })

  test('Times of any year are accepted', async () => {
    expect(await entriesOf(organization, '?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z')).toEqual(all)
  })

  test('A key without its scope is refused, and one with it reads the list', async () => {
    const organization = await signet.organization()
    const keyWith = async (scopes: string[]) => {
      const { api_key } = await make(organization, '/organizations/api-keys', { scopes })
      return { id: organization.id, apiKey: api_key }
    }
    expect((await list(await keyWith(['groups:write']))).status).toBe(403)
    expect((await list(await keyWith(['audit-log:read']))).status).toBe(200)
  })
})

test('An entry that commits late keeps those after it from being shown, and is skipped by no reader', async () => {
  const organization = await signet.organization()
  const lock = new pg.Client(signet.database)
  await lock.connect()
  await lock.query('begin')
  // An entry whose transaction stays open.
  await lock.query(`
    with held as materialized (select pg_advisory_xact_lock_shared(4611686018427387904 + last_value) from positions)
    insert into audit_entries (org_id, position, id, at, actor_type, action, target_type, target_id)
    select '${organization.id}', nextval('positions'), gen_random_uuid(), now(), 'operator', 'late', 'group', 'late' from held`)
  await make(organization, '/groups', { name: 'early' })
  expect((await entriesOf(organization)).map(({ action }) => action)).toEqual(['createOrganization'])
  await lock.query('commit')
  await lock.end()
  const actions = ['createGroup', 'late', 'createOrganization']
  expect((await entriesOf(organization)).map(({ action }) => action)).toEqual(actions)
})

test('An entry whose position was drawn minutes after its time was taken is found by that time', async () => {
  const organization = await signet.organization()
  const write = (id: string, at: string) =>
    inside.query(
      `insert into audit_entries (org_id, position, id, at, actor_type, action, target_type, target_id)
       values ($1, nextval('positions'), gen_random_uuid(), $2, 'operator', 'changeGroup', 'group', $3)`,
      [organization.id, at, id],
    )
  await inside.query(
    "create table audit_entries_209901 partition of audit_entries for values from ('2099-01-01') to ('2099-02-01')",
  )
  await write('on time', '2099-01-01T12:02:10Z')
  // It has waited for a lock.
  await write('late', '2099-01-01T12:00:00Z')
  const found = async (query: string) =>
    (await entriesOf(organization, `?action=changeGroup&${query}`)).map(({ target }) => target.id)
  expect(await found('until=2099-01-01T12:00:01Z')).toEqual(['late'])
  expect(await found('since=2099-01-01T12:02:00Z')).toEqual(['on time'])
})

test('A page waits a moment for an open transaction, so that a client finds what it has just written', async () => {
  const organization = await signet.organization()
  const holder = new pg.Client(signet.database)
  await holder.connect()
  await holder.query(`begin; ${drawPosition}`)
  await make(organization, '/groups', { name: 'staff' })
  const reading = entriesOf(organization, '?action=createGroup')
  const isStill = Symbol('still reading')
  expect(await Promise.race([reading, wait(200, isStill)])).toBe(isStill)
  await holder.query('rollback')
  await holder.end()
  expect(await reading).toHaveLength(1)
})
