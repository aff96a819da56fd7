import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, isReplayed, keyed } from '../support/keyed-calls.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { everythingStored } from '../support/stored.ts'

let signet: OwnSignet
let inside: pg.Client
let ours: Organization

beforeAll(async () => {
  signet = await startOwnSignet({ env: { SIGNET_ROLES: 'api', SIGNET_RATE_TEST_EVENTS: '1000/1000' } })
  inside = new pg.Client(signet.database)
  await inside.connect()
  ours = await signet.organization()
})
afterAll(async () => {
  await inside?.end()
  await signet?.stop()
})

const countOf = async (table: string, organization = ours): Promise<number> =>
  Number((await inside.query(`select count(*) from ${table} where org_id = $1`, [organization.id])).rows[0].count)
const keyOf = async (fields: object): Promise<Organization> => {
  const { body } = await signet.as(ours, 'POST', '/organizations/api-keys', fields)
  return { id: ours.id, apiKey: body.result.api_key }
}
const group = () => ({ name: `group-${randomUUID()}` })

describe('A call that is repeated with its Idempotency-Key', () => {
  test('The same call is answered with the same status and body, and changes nothing more', async () => {
    const key = randomUUID()
    const first = await keyed(signet, ours, key, '/persons', {})
    const before = [await countOf('persons'), await countOf('events'), await countOf('audit_entries')]
    const second = await keyed(signet, ours, key, '/persons', {})
    expect(first).toMatchObject({ status: 201 })
    expect([second.status, second.body]).toEqual([first.status, first.body])
    expect([isReplayed(first), isReplayed(second)]).toEqual([false, true])
    for (const name of ['content-type', 'cache-control']) expect(second.headers.get(name)).toBe(first.headers.get(name))
    expect([await countOf('persons'), await countOf('events'), await countOf('audit_entries')]).toEqual(before)
  })

  test('Without the header nothing is kept, and each call is one of its own', async () => {
    const organization = await signet.organization()
    for (let n = 0; n < 2; n++) await signet.as(organization, 'POST', '/persons', {})
    expect(await countOf('persons', organization)).toBe(2)
    expect(await countOf('idempotency_keys', organization)).toBe(0)
  })

  test.each([
    ['another body', '/groups', { name: 'another-body' }],
    ['the same body in other bytes', '/groups', '{"name": "first-body"}'],
    ['another operation', '/persons', {}],
    ['another address of the operation', '/groups?', { name: 'first-body' }],
  ])('The key of another request is 422: %s', async (_, path, body) => {
    const key = randomUUID()
    await keyed(signet, ours, key, '/groups', '{"name":"first-body"}')
    const persons = await countOf('persons')
    const answer = await keyed(signet, ours, key, path, body, { 'content-type': 'application/json' })
    expect(answer).toMatchObject({ status: 422 })
    expect(codeOf(answer)).toBe('idempotency_key_reused')
    expect(answer.body.errors[0].message).toMatch(/^Idempotency-Key: must not be that of another request/)
    expect(await countOf('persons')).toBe(persons)
    expect(await signet.as(ours, 'GET', '/groups/another-body')).toMatchObject({ status: 404 })
  })

  test.each(['', 'a b', 'ü', 'x'.repeat(256)])('The key %j is refused, naming the header and the rule', async (key) => {
    const persons = await countOf('persons')
    // Not by `fetch`, which sends no header like these.
    const answer = await keyed(signet, ours, Buffer.from(key).toString('latin1'), '/persons', {})
    expect(answer).toMatchObject({ status: 400 })
    expect(answer.body.errors[0].message).toBe('Idempotency-Key: must be 1 to 255 visible ASCII characters')
    expect(await countOf('persons')).toBe(persons)
  })

  test('A key may have 255 characters, and any that is visible', async () => {
    const key = String.fromCharCode(...Array.from({ length: 255 }, (_, n) => 33 + (n % 94)))
    const [first, second] = [
      await keyed(signet, ours, key, '/persons', {}),
      await keyed(signet, ours, key, '/persons', {}),
    ]
    expect(second.body).toEqual(first.body)
    expect(isReplayed(second)).toBe(true)
  })

  test('A refusal is not kept: the same key serves the call that is right', async () => {
    const key = randomUUID()
    expect(await keyed(signet, ours, key, '/persons', { groups: ['missing'] })).toMatchObject({ status: 400 })
    expect(await keyed(signet, ours, key, '/nothing', {})).toMatchObject({ status: 404 })
    const answer = await keyed(signet, ours, key, '/persons', {})
    expect(answer).toMatchObject({ status: 201 })
    expect(isReplayed(answer)).toBe(false)
  })

  test('A call that the allowance refuses takes nothing of it, and keeps nothing', async () => {
    const organization = await signet.organization()
    const publish = (key: string, count: number) =>
      keyed(signet, organization, key, '/test-events', Array(count).fill({ event_name: 'PersonCreated_v1' }))
    for (let n = 0; n < 20; n++) expect(await publish(`all-${n}`, 50)).toMatchObject({ status: 201 })
    expect(await publish('more', 50)).toMatchObject({ status: 429 })
    expect(await countOf('idempotency_keys', organization)).toBe(20)
    expect(await publish('all-0', 50)).toMatchObject({ status: 201 })
    expect(await countOf('events', organization)).toBe(1_000)
  })

  test('Operations that take no key ignore it, and so do those that do not POST', async () => {
    const headers = { 'Idempotency-Key': 'a b' }
    expect(await signet.as(ours, 'GET', '/groups', undefined, headers)).toMatchObject({ status: 200 })
    const name = 'Ignored'
    const operator = { 'Service-Operator-Key': signet.operatorKey, 'Idempotency-Key': 'once' }
    const [one, other] = [
      await signet.call('POST', '/organizations', operator, { name }),
      await signet.call('POST', '/organizations', operator, { name }),
    ]
    expect(one.body.result.id).not.toBe(other.body.result.id)
  })
})

describe('Whose call it is', () => {
  test('The same key by two API keys, and by two organizations, is as many calls', async () => {
    const key = randomUUID()
    const others = [await keyOf({}), await signet.organization()]
    const answers = [ours, ...others].map((each) => keyed(signet, each, key, '/persons', {}))
    const ids = (await Promise.all(answers)).map(({ body }) => body.result.person_id)
    expect(new Set(ids).size).toBe(3)
  })

  test('A key with fewer scopes does not get what an admin key was answered', async () => {
    const editor = await keyOf({ scopes: ['groups:write'] })
    const key = randomUUID()
    await keyed(signet, ours, key, '/organizations/api-keys', { name: 'Secret' })
    const answer = await keyed(signet, editor, key, '/organizations/api-keys', { name: 'Secret' })
    expect(answer).toMatchObject({ status: 403 })
    expect(JSON.stringify(answer.body)).not.toContain('signet_')
  })

  test('A revoked key gets no answer again', async () => {
    const { body } = await signet.as(ours, 'POST', '/organizations/api-keys', {})
    const revoked = { id: ours.id, apiKey: body.result.api_key }
    const fields = group()
    expect(await keyed(signet, revoked, 'once', '/groups', fields)).toMatchObject({ status: 201 })
    await signet.as(ours, 'DELETE', `/organizations/api-keys/${body.result.id}`)
    expect(await keyed(signet, revoked, 'once', '/groups', fields)).toMatchObject({ status: 401 })
  })
})

describe('Two calls at the same moment', () => {
  test('One is handled; the others are 409 while it runs, with Retry-After, and then get its answer', async () => {
    await inside.query('begin')
    await inside.query('select from organizations where id = $1 for no key update', [ours.id])
    // Needs the organization's lock.
    const create = (key: string) => keyed(signet, ours, key, '/organizations/api-keys', { name: 'Same' })
    const waiting = create('same-moment')
    const running = `select from pg_locks where locktype = 'advisory' and classid = 1936287348 and granted`
    await expect.poll(async () => (await inside.query(running)).rowCount).toBe(1)
    const second = await create('same-moment')
    expect(second).toMatchObject({ status: 409 })
    expect([second.headers.get('retry-after'), codeOf(second)]).toEqual(['1', 'idempotency_key_in_use'])
    await inside.query('commit')
    const first = await waiting
    expect(first).toMatchObject({ status: 201 })
    const third = await create('same-moment')
    expect([isReplayed(third), third.body]).toEqual([true, first.body])
  })

  test('Of fifty at once exactly one is done', async () => {
    const persons = await countOf('persons')
    const answers = await Promise.all(Array.from({ length: 50 }, () => keyed(signet, ours, 'fifty', '/persons', {})))
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].filter((status) => ![201, 409].includes(status))).toEqual([])
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.result.person_id)
    expect(new Set(ids).size).toBe(1)
    expect(await countOf('persons')).toBe(persons + 1)
  })
})

describe('What is kept', () => {
  const secrets = {
    '/persons': { handles: [{ type: 'EmailAddress', value: 'kept-secret@example.com' }] },
    '/organizations/webhooks': {
      name: 'x',
      target_url: 'https://kept.example.com/',
      custom_headers: { authorization: ['kept-secret-header'] },
    },
    '/organizations/api-keys': { name: 'kept' },
    '/organizations/applications': { name: 'kept', redirect_uris: ['https://kept.example.com/'], confidential: true },
    '/organizations/sso/oidc/credential-links': { provider: 'provider_a' },
    '/organizations/console-invitations': { group: 'administrators' },
  }

  beforeAll(async () => {
    await signet.as(ours, 'POST', '/groups', { name: 'administrators' })
    const console_access = [{ group: 'administrators', role: 'owner' }]
    await signet.as(ours, 'PATCH', '/organizations/settings', { console_access })
  })

  test('No answer with a secret or handles is stored in clear, and each is given again', async () => {
    for (const [path, body] of Object.entries(secrets)) {
      const first = await keyed(signet, ours, `sealed ${path}`.replaceAll(' ', '-'), path, body)
      const second = await keyed(signet, ours, `sealed ${path}`.replaceAll(' ', '-'), path, body)
      expect([path, second.status, second.body]).toEqual([path, 201, first.body])
    }
    const { rows } = await inside.query(`select answer from idempotency_keys where sealed_answer is not null`)
    expect(rows.length).toBeGreaterThanOrEqual(5)
    expect(rows.filter(({ answer }) => answer !== null)).toEqual([])
    const stored = await everythingStored(signet.database)
    for (const secret of ['kept-secret-header', `signet_${ours.id.replaceAll('-', '')}`])
      expect(stored).not.toContain(secret)
  })

  test('An answer with a secret or handles goes with the thing or person that it names', async () => {
    const made = async (path: string, fields: object) => {
      const before = await countOf('idempotency_keys')
      const { body } = await keyed(signet, ours, `goes-${path.replaceAll('/', '-')}`, path, fields)
      expect([path, await countOf('idempotency_keys')]).toEqual([path, before + 1])
      const id = body.result.person_id ?? body.result.client_id ?? body.result.id
      expect(await signet.as(ours, 'DELETE', `${path}/${id}`)).toMatchObject({ status: 204 })
      expect([path, await countOf('idempotency_keys')]).toEqual([path, before])
    }
    for (const [path, body] of Object.entries(secrets))
      await made(path, {
        ...body,
        ...(path === '/organizations/webhooks' && { target_url: 'https://goes.example.com/' }),
        ...(path === '/persons' && { handles: [] }),
      })
  })

  test('An answer is encrypted for its organization alone', async () => {
    const stranger = await signet.organization()
    await keyed(signet, ours, 'moved-row', '/persons', {})
    await inside.query(
      `update idempotency_keys set sealed_answer = (select sealed_answer from idempotency_keys where org_id = $2 and sealed_answer is not null limit 1)
        where org_id = $1`,
      [stranger.id, ours.id],
    )
    await keyed(signet, stranger, 'own', '/persons', {})
    await inside.query(
      `update idempotency_keys set sealed_answer = (select sealed_answer from idempotency_keys where org_id = $2 and sealed_answer is not null limit 1)
        where org_id = $1 and sealed_answer is not null`,
      [stranger.id, ours.id],
    )
    expect(await keyed(signet, stranger, 'own', '/persons', {})).toMatchObject({ status: 500 })
  })

  test('The key of a call is stored nowhere, and a body of 1 MiB leaves a row of the size of its answer', async () => {
    const key = `visible-${randomUUID()}`
    const body = `${JSON.stringify(group())}${' '.repeat(1_000_000)}`
    const headers = { 'content-type': 'application/json' }
    const answers = [
      await keyed(signet, ours, key, '/groups', body, headers),
      await keyed(signet, ours, key, '/groups', body, headers),
    ]
    expect(answers.map(isReplayed)).toEqual([false, true])
    expect(await everythingStored(signet.database)).not.toContain(key)
    const { rows } = await inside.query('select max(pg_column_size(k)) as size from idempotency_keys k')
    expect(rows[0].size).toBeLessThan(2_000)
  })
})

test('While an organization moves nothing is answered or kept; the rows of an organization that was deleted go with it', async () => {
  const organization = await signet.organization()
  const before = await keyed(signet, organization, 'before', '/persons', {})
  await inside.query(
    `insert into moved_organizations (org_id, move_id, state, since) values ($1, $1, 'leaving', now())`,
    [organization.id],
  )
  await inside.query(`update organizations set deleted_at = 'infinity' where id = $1`, [organization.id])
  for (const key of ['before', 'while'])
    expect(await keyed(signet, organization, key, '/persons', {})).toMatchObject({ status: 423 })
  expect(await countOf('idempotency_keys', organization)).toBe(1)
  await inside.query('delete from moved_organizations where org_id = $1', [organization.id])
  await inside.query('update organizations set deleted_at = null where id = $1', [organization.id])
  expect((await keyed(signet, organization, 'before', '/persons', {})).body).toEqual(before.body)
  expect(isReplayed(await keyed(signet, organization, 'while', '/persons', {}))).toBe(false)
  expect(await signet.operate('DELETE', `/organizations/${organization.id}`)).toMatchObject({ status: 204 })
  expect(await keyed(signet, organization, 'before', '/persons', {})).toMatchObject({ status: 401 })
})

test('An emergency rotation with a key is committed before its pause, and answered after it', async () => {
  const organization = await signet.organization()
  await inside.query(`update signing_keys set published_at = published_at - interval '1 hour' where org_id = $1`, [
    organization.id,
  ])
  const headers = { 'Service-OrgID': organization.id }
  const kids = async () => {
    const { body } = await signet.call('GET', '/organizations/webhooks/verification-jwks', headers)
    return body.keys.map(({ kid }: { kid: string }) => kid)
  }
  const [former] = await kids()
  let isAnswered = false
  const path = '/organizations/webhooks/verification-keys/rotate'
  const rotating = keyed(signet, organization, 'rotate', path, { emergency: true }).finally(() => (isAnswered = true))
  await expect.poll(kids).not.toContain(former)
  expect(isAnswered).toBe(false)
  const after = await kids()
  expect(await rotating).toMatchObject({ status: 202, body: {} })
  expect(isReplayed(await keyed(signet, organization, 'rotate', path, { emergency: true }))).toBe(true)
  expect(await kids()).toEqual(after)
}, 30_000)
