import { readFileSync } from 'node:fs'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { reasons } from '../../src/delivery/index.ts'
import { createHooks, type Hooks, type TokenMinted } from '../../src/hooks/index.ts'
import { createKeys } from '../../src/keys/index.ts'
import { createEgressClient, type EgressClient, type OutboundRequest, type Outcome } from '../../src/outbound/index.ts'
import { runningClock, toTimestamp } from '../../src/runtime/clock.ts'
import { makeId } from '../../src/runtime/identifiers.ts'
import { createLoadTargets } from '../../src/webhooks/index.ts'
import { testDatabase } from '../support/database.ts'
import { writeLog } from '../support/log.ts'
import { type Behaviour, type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const clock = runningClock()
const keyring = makeKeyring()
const caps = { inAll: 100, perOrganization: 50 }
const content: TokenMinted = {
  aud: 'application',
  sub: 'person',
  iss: 'http://localhost:8080/oidc/organization',
  region: 'local',
  first_token: true,
  authentications: [{ method: 'oidc', timestamp: '2026-11-21T12:00:00.000Z' }],
  groups_claim_name: 'groups',
  groups: ['staff', 'Grüße'],
  request_metadata: { client_ip_address: '192.0.2.7', user_agent: 'A browser' },
}

let connection: Awaited<ReturnType<typeof testDatabase>>
let inside: pg.Client
let database: Database
let receiver: Receiver
let service: Service
let egress: EgressClient
let hooks: Hooks
let organization: Organization
let logged: object[] = []

beforeAll(async () => {
  connection = await testDatabase()
  inside = new pg.Client(connection)
  await inside.connect()
  receiver = await startReceiver()
  service = await startService({ connection, receiver, clock, keyring, env: { SIGNET_ROLES: 'api' } })
  database = openDatabase(connection)
  const resolve = new Map([
    [`${receiver.host}:${receiver.port}`, ['127.0.0.1']],
    [`${receiver.host}:1`, ['127.0.0.1']],
  ])
  const certificateAuthorities = [readFileSync(receiver.caFile, 'utf8')]
  egress = createEgressClient({ resolve, allowCidrs: [], maxConnections: 10, certificateAuthorities })
})

afterAll(async () => {
  await Promise.all([egress?.close(), service?.stop(), receiver?.stop(), inside?.end(), database?.close()])
  await connection?.drop()
})

beforeEach(async () => {
  logged = []
  hooks = makeHooks()
  organization = await service.organization()
})

function makeHooks(others: Partial<Parameters<typeof createHooks>[0]> = {}): Hooks {
  const { findSigners } = createKeys({ database, clock, keyring, keyLeadMs: 0, keyRotationMs: 1e9 })
  const loadTargets = createLoadTargets(keyring)
  const shared = { database, clock, egress, baseUrl: service.baseUrl, loadTargets, findSigners, onUnreadable: () => {} }
  const log = { info: (fields: object) => logged.push(fields) }
  return createHooks({ ...shared, log, caps, ...others })
}

const run = () => hooks.runTokenMinted({ organizationId: organization.id, content })

type Fields = { timeout?: string; custom_headers?: object; on_failure?: 'fail' | 'continue' }

/** A webhook of the organization with the trigger, whose receiver behaves so. */
async function addHook(name: string, behaviour: Behaviour = {}, { on_failure, ...fields }: Fields = {}) {
  const path = `/${organization.id}/${name}`
  receiver.behave(path, behaviour)
  const id = await addWebhook(service, organization, receiver.url(path), [], fields)
  const resource = `/organizations/webhooks/${id}`
  await service.as(organization, 'POST', `${resource}/triggers`, { ...trigger, ...(on_failure && { on_failure }) })
  return { id, path, resource }
}

const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
const answering = (claims: object): Behaviour => ({ body: JSON.stringify(claims) })
const failing: Behaviour = { status: 500, body: 'broken' }
const claimsAt = (path: string) => receiver.received(path).map(({ body }) => decodeJwt(body))

type Row = {
  reason: string | null
  attempts: { number: number; jti: string; started_at: string; duration_ms: number; error?: string }[]
}

/** From the end of one attempt to the beginning of the next, in milliseconds. */
const pausesOf = (row: Row | undefined): number[] =>
  (row?.attempts ?? []).slice(1).map(({ started_at }, index) => {
    const before = row?.attempts[index]
    return Date.parse(started_at) - Date.parse(before?.started_at ?? '') - (before?.duration_ms ?? 0)
  })

/** Rows of the delivery log, by webhook; whatever reason they give, the interface knows it. */
async function logOf(...webhookIds: string[]): Promise<Row[]> {
  const text = `select * from finished_deliveries where org_id = $1 and webhook_id = any($2) order by webhook_id, event_id`
  const { rows } = await inside.query<Row>(text, [organization.id, webhookIds])
  for (const { reason } of rows) expect([null, ...reasons]).toContain(reason)
  return rows
}

/** Hooks of which each call is followed by that, before its outcome is known. */
function hooksThat(afterCall: (outcome: Outcome) => Promise<unknown>): Hooks {
  const post = async (call: OutboundRequest) => {
    const outcome = await egress.post(call)
    await afterCall(outcome)
    return outcome
  }
  return makeHooks({ egress: { ...egress, post } })
}

describe('the request of a hook', () => {
  test('is a signed JWT with the custom headers, its sub the run and its content that of the trigger (6.3)', async () => {
    const { path, id } = await addHook('hook', {}, { custom_headers: { 'x-token': ['secret'] } })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: {} })
    const [request] = receiver.received(path)
    expect(request).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/jwt', 'x-token': 'secret' },
    })
    const { body: keySet } = await service.call('GET', '/organizations/webhooks/verification-jwks', {
      'Service-OrgID': organization.id,
    })
    const { payload } = await jwtVerify(request?.body ?? '', createLocalJWKSet(keySet), { algorithms: ['ES256'] })
    expect(payload).toEqual({
      jti: expect.stringMatching(uuid),
      aud: organization.id,
      sub: expect.stringMatching(uuid),
      iss: service.baseUrl,
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 300,
      webhook_id: id,
      target_url: receiver.url(path),
      ...trigger,
      trigger_content: content,
    })
    expect(Object.keys(payload.trigger_content as object)).toEqual(Object.keys(content))
  })

  test('goes to every webhook of the organization that has the trigger, and to no other', async () => {
    const called = [await addHook('a'), await addHook('b')]
    const others = [`/${organization.id}/none`, `/${organization.id}/event`]
    await addWebhook(service, organization, receiver.url(others[0] ?? ''))
    await addWebhook(service, organization, receiver.url(others[1] ?? ''), ['AuthenticationSucceeded_v1'])
    const ours = organization
    organization = await service.organization()
    others.push((await addHook('theirs')).path)
    organization = ours
    await run()
    for (const { path } of called) expect(receiver.received(path)).toHaveLength(1)
    for (const path of others) expect(receiver.received(path)).toEqual([])
    expect(new Set(called.flatMap(({ path }) => claimsAt(path)).map(({ sub }) => sub)).size).toBe(1)
    expect(new Set(called.flatMap(({ path }) => claimsAt(path)).map(({ jti }) => jti)).size).toBe(2)
  })

  test('is sent to eight receivers at once, in parallel (6.2, rule 3)', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `hook-${index}`)
    const added: Awaited<ReturnType<typeof addHook>>[] = []
    for (const name of names) added.push(await addHook(name, { ...answering({ [name]: true }), together: 8 }))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: Object.fromEntries(names.map((name) => [name, true])) })
    for (const { path } of added) expect(receiver.received(path)).toHaveLength(1)
  })

  test('is none where no webhook has the trigger', async () => {
    const id = await addWebhook(service, organization, receiver.url(`/${organization.id}/none`))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: {} })
    expect(await logOf(id)).toEqual([])
  })

  test('holds neither a transaction nor a connection of the database open', async () => {
    const { path } = await addHook('hanging', { hang: true }, { timeout: '500ms' })
    const hooked = run()
    await receiver.waitFor(path, 1)
    const { rows } = await inside.query(`
      select state, query from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
         and (state <> 'idle' or wait_event = 'ClientRead' and xact_start is not null)`)
    expect(rows).toEqual([])
    await hooked
  })
})

describe('the answer of a hook', () => {
  test.each<[string, Behaviour]>([
    ['an empty body', {}],
    ['204', { status: 204 }],
    ['{}', { body: '{}' }],
  ])('that is %s changes nothing', async (_name, behaviour) => {
    const { id } = await addHook('hook', behaviour)
    expect(await run()).toEqual({ outcome: 'succeeded', claims: {} })
    expect(await logOf(id)).toMatchObject([{ status: 'succeeded', attempts_count: 1, dropped_claims: null }])
  })

  test('that is an object becomes claims, any JSON values', async () => {
    const claims = { plan: 'pro', level: 3, tags: ['a', { b: null }], limits: { seats: 5 }, ok: false, none: null }
    await addHook('hook', { ...answering(claims), status: 201 })
    expect(await run()).toEqual({ outcome: 'succeeded', claims })
  })

  test('may have 8 KiB', async () => {
    const claims = { long: 'x'.repeat(8_192 - '{"long":""}'.length) }
    await addHook('hook', answering(claims))
    expect(await run()).toEqual({ outcome: 'succeeded', claims })
  })

  test.each<[string, string, string, number?]>([
    ['an array', '[{"a":1}]', 'answer_not_an_object'],
    ['no JSON', '<html>fine</html>', 'answer_not_an_object'],
    ['U+0000 in a value', '{"a":"\\u0000"}', 'answer_not_an_object'],
    ['8 KiB and one byte', JSON.stringify({ a: 'x'.repeat(8_185) }), 'answer_too_large'],
    ['forty megabytes', JSON.stringify({ a: 'x'.repeat(2_000) }), 'answer_too_large', 20_000],
  ])('that is %s fails the call, which is not tried again', async (_name, body, error, times = 1) => {
    // Forty megabytes take the receiver a while.
    const { id, path } = await addHook('hook', { body, times }, { timeout: '20s' })
    expect(await run()).toMatchObject({ outcome: 'failed' })
    expect(receiver.received(path)).toHaveLength(1)
    const attempt = { number: 1, status_code: 200, error, answer: body.slice(0, 1_024) }
    expect(await logOf(id)).toMatchObject([{ status: 'dropped', reason: 'unusable_answer', attempts: [attempt] }])
  })

  test('of which only a byte order mark and white space are left changes nothing', async () => {
    await addHook('hook', { body: '\ufeff \r\n' })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: {} })
  })

  test('cannot set protected claims: they are dropped and noted', async () => {
    const { id } = await addHook('hook', { body: '{"sub":"other","plan":"pro","groups":["root"],"__proto__":{"x":1}}' })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { plan: 'pro' } })
    expect(await logOf(id)).toMatchObject([{ status: 'succeeded', dropped_claims: ['sub', 'groups', '__proto__'] }])
  })

  test('of several: the webhook that was created first wins, however late it answers', async () => {
    await addHook('first', { ...answering({ a: 1, b: { of: 'first' } }), delayMs: 100 })
    await addHook('second', { ...answering({ a: 2, b: { of: 'second', more: true }, c: 2 }), delayMs: 50 })
    await addHook('third', answering({ a: 3, c: 3, d: 3 }))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1, b: { of: 'first' }, c: 2, d: 3 } })
  })
})

describe('the claims of several hooks together', () => {
  const half = (name: string) => ({ [name]: 'x'.repeat(4_096 - '{"a":"",'.length) })

  test('may have 8 KiB: the first ones have the room, and one that has none left has failed (6.2, rule 5)', async () => {
    const first = await addHook('first', answering(half('a')))
    const second = await addHook('second', answering(half('b')))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { ...half('a'), ...half('b') } })
    const third = await addHook('third', answering({ c: 1 }))
    expect(await run()).toMatchObject({ outcome: 'failed' })
    expect(receiver.received(third.path)).toHaveLength(1)
    const failed = { status: 'dropped', reason: 'unusable_answer', attempts: [{ error: 'claims_too_large' }] }
    expect(await logOf(third.id)).toMatchObject([failed])
    for (const { id } of [first, second]) expect((await logOf(id))[1]).toMatchObject({ status: 'succeeded' })
  })

  test('lose those of one that has no room left, and no other, where its trigger says on_failure: continue', async () => {
    await addHook('first', answering(half('a')))
    await addHook('second', answering({ ...half('b'), c: 1 }), { on_failure: 'continue' })
    await addHook('third', answering({ a: 3, d: 4 }))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { ...half('a'), d: 4 } })
  })
})

describe('a call that fails (6.2, rule 5)', () => {
  test.each([300, 302, 400, 404, 410, 429, 500, 503])(
    'with %i is made three times, signed anew with the same sub, and fails the run',
    async (status) => {
      const elsewhere = receiver.url(`/${organization.id}/elsewhere`)
      const { id, path } = await addHook('hook', { status, headers: { location: elsewhere }, body: 'x'.repeat(2_000) })
      expect(await run()).toMatchObject({ outcome: 'failed' })
      const [first, ...others] = claimsAt(path)
      expect(others).toHaveLength(2)
      for (const { sub } of others) expect(sub).toBe(first?.sub)
      const [row] = await logOf(id)
      const attempt = { status_code: status, answer: 'x'.repeat(1_024), started_at: expect.any(String) }
      expect(row).toMatchObject({
        event_id: first?.sub,
        ...trigger,
        status: 'dropped',
        reason: 'attempts_failed',
        attempts_count: 3,
        attempts: [1, 2, 3].map((number) => ({ ...attempt, number })),
      })
      expect(row?.attempts.map(({ jti }) => jti)).toEqual([first, ...others].map((claims) => claims?.jti))
      expect(new Set(row?.attempts.map(({ jti }) => jti)).size).toBe(3)
      for (const pause of pausesOf(row)) expect(pause).toBeGreaterThan(95)
      expect(receiver.received(`/${organization.id}/elsewhere`)).toEqual([])
    },
  )

  test('succeeds with its last attempt, whose answer counts', async () => {
    const { id, path } = await addHook('hook', {
      inTurn: [{ ...failing, ...answering({ a: 1 }) }, { reset: true }, answering({ a: 3 })],
    })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 3 } })
    expect(receiver.received(path)).toHaveLength(3)
    const attempts = [{ status_code: 500 }, { error: 'connection_reset' }, { status_code: 200 }]
    expect(await logOf(id)).toMatchObject([{ status: 'succeeded', reason: null, attempts_count: 3, attempts }])
  })

  test('because the connection is refused is tried again, at the address that the webhook has then', async () => {
    const { id, path, resource } = await addHook('hook', answering({ a: 1 }))
    const move = (target_url: string) => service.as(organization, 'PATCH', resource, { target_url })
    await move(`https://${receiver.host}:1/nobody-listens`)
    hooks = hooksThat(async () => move(receiver.url(path)))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    expect(await logOf(id)).toMatchObject([{ attempts: [{ error: 'connection_refused' }, { status_code: 200 }] }])
  })

  test.each<[string, Behaviour]>([
    ['never begins', { hang: true }],
    ['never ends', { ...answering({ a: 1 }), stall: true }],
    ['comes too late', { ...answering({ a: 1 }), delayMs: 1_000 }],
  ])('because the answer %s is tried again after the timeout of the webhook (2.4)', async (_name, behaviour) => {
    const { id } = await addHook('hook', behaviour, { timeout: '100ms' })
    expect(await run()).toMatchObject({ outcome: 'failed' })
    const [row] = await logOf(id)
    expect(row?.attempts.map(({ error }) => error)).toEqual(Array(3).fill(expect.stringMatching(/timeout$/)))
  })

  test('because nothing comes for two seconds, where the webhook has no timeout (6.2, rule 6)', async () => {
    const { id } = await addHook('hook', { inTurn: [{ hang: true }, answering({ a: 1 })] })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    const [first] = (await logOf(id))[0]?.attempts ?? []
    expect(first).toMatchObject({ error: 'timeout' })
    expect(first?.duration_ms).toBeGreaterThan(1_990)
    expect(first?.duration_ms).toBeLessThan(9_000)
  })

  test('does not fail the run where the trigger says on_failure: continue; the others still count', async () => {
    const failed = await addHook('failing', failing, { on_failure: 'continue' })
    const unusable = await addHook('unusable', { body: '[]' }, { on_failure: 'continue' })
    await addHook('fine', answering({ a: 1 }))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    const log = await logOf(failed.id, unusable.id)
    expect(log.map(({ reason }) => reason)).toEqual(['attempts_failed', 'unusable_answer'])
  })

  test('fails the run however many others succeed; each of them is in the log', async () => {
    const added = [await addHook('fine', answering({ a: 1 })), await addHook('failing', failing), await addHook('also')]
    expect(await run()).toMatchObject({ outcome: 'failed' })
    const log = await logOf(...added.map(({ id }) => id))
    expect(log).toMatchObject([{ status: 'succeeded' }, { status: 'dropped' }, { status: 'succeeded' }])
  })

  test.each<[string, (resource: string) => Promise<unknown>]>([
    [
      'trigger',
      (resource) =>
        service.as(organization, 'DELETE', `${resource}/triggers?${new URLSearchParams(trigger).toString()}`),
    ],
    ['webhook', (resource) => service.as(organization, 'DELETE', resource)],
  ])('is not made again once its %s is deleted, and has no say any more', async (what, remove) => {
    const { id, path, resource } = await addHook('hook', failing)
    hooks = hooksThat(() => remove(resource))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: {} })
    expect(receiver.received(path)).toHaveLength(1)
    expect(await logOf(id)).toMatchObject([{ status: 'cancelled', reason: `${what}_deleted`, attempts_count: 1 }])
  })

  test('because no master key opens the secrets of the organization is told', async () => {
    const { id } = await addHook('hook', {}, { custom_headers: { 'x-token': ['secret'] } })
    const other = makeKeyring()
    const { findSigners } = createKeys({ database, clock, keyring: other, keyLeadMs: 0, keyRotationMs: 1e9 })
    const unreadable: string[] = []
    const onUnreadable = (organizationId: string) => unreadable.push(organizationId)
    for (const others of [{ loadTargets: createLoadTargets(other) }, { findSigners, onUnreadable }]) {
      hooks = makeHooks(others)
      expect(await run()).toMatchObject({ outcome: 'failed' })
    }
    expect((await logOf(id)).map(({ reason }) => reason)).toEqual(['unreadable_headers', 'no_signing_key'])
    expect(unreadable).toEqual([organization.id])
  })
})

describe('the log of the operator', () => {
  test('names the webhook of a hook that failed, and why in each attempt', async () => {
    const { id } = await addHook('hook', { inTurn: [failing, { reset: true }, failing] }, { on_failure: 'continue' })
    await addHook('fine')
    await run()
    expect(logged).toEqual([
      {
        organization_id: organization.id,
        webhook_id: id,
        run_id: expect.stringMatching(uuid),
        trigger_name: 'token_minted',
        reason: 'attempts_failed',
        attempts: [
          { duration_ms: expect.any(Number), status_code: 500 },
          { duration_ms: expect.any(Number), error: 'connection_reset' },
          { duration_ms: expect.any(Number), status_code: 500 },
        ],
      },
    ])
  })

  test('is told by the run what failed it', async () => {
    const { id } = await addHook('hook', { body: '[]' })
    const detail = `webhook ${id}: unusable_answer, HTTP 200, answer_not_an_object`
    expect(await run()).toEqual({ outcome: 'failed', detail })
    expect(logged).toMatchObject([{ webhook_id: id, attempts: [{ status_code: 200, error: 'answer_not_an_object' }] }])
  })

  test('tells a forbidden address from a name that does not exist, which the organization is not told', async () => {
    const forbidden = 'forbidden_address'
    hooks = makeHooks({
      egress: { ...egress, post: async () => ({ kind: 'failed', error: forbidden, durationMs: 1 }) },
    })
    const { id } = await addHook('hook')
    expect(await run()).toEqual({ outcome: 'failed', detail: `webhook ${id}: attempts_failed, name_not_found` })
    const attempts = Array(3).fill({ error: 'name_not_found' })
    expect(await logOf(id)).toMatchObject([{ attempts }])
    expect(logged).toMatchObject([{ attempts: Array(3).fill({ error: forbidden }) }])
  })
})

describe('an attempt that this process has no descriptor for', () => {
  const none: Outcome = { kind: 'failed', error: 'no_descriptors', durationMs: 1 }

  test('is none, and is made as soon as there is one', async () => {
    const { id } = await addHook('hook', answering({ a: 1 }))
    let left = 5
    hooks = makeHooks({ egress: { ...egress, post: async (call) => (left-- > 0 ? none : egress.post(call)) } })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    expect(await logOf(id)).toMatchObject([{ attempts_count: 1, attempts: [{ number: 1, status_code: 200 }] }])
  })

  test('fails the hook as a missing slot does, after two seconds', async () => {
    const { id } = await addHook('hook')
    hooks = makeHooks({ egress: { ...egress, post: async () => none } })
    expect(await run()).toMatchObject({ outcome: 'failed' })
    expect(await logOf(id)).toMatchObject([{ reason: 'no_slot', attempts_count: 0, attempts: [] }])
  })
})

describe('the delivery log', () => {
  const ask = (method: string, path: string, body?: unknown) => service.as(organization, method, path, body)
  const list = async (resource: string, query = ''): Promise<{ id: string }[]> =>
    (await ask('GET', `${resource}/deliveries?${query}`)).body.result
  const idsOf = (found: { id: string }[]) => found.map(({ id }) => id)

  test('shows a run with its attempts, and the protected claims that were dropped', async () => {
    const { id, path, resource } = await addHook('hook', {
      inTurn: [failing, answering({ sub: 'other', plan: 'pro' })],
    })
    await run()
    const [first, second] = claimsAt(path)
    const record = {
      id: first?.sub,
      webhook_id: id,
      ...trigger,
      sub: first?.sub,
      status: 'succeeded',
      attempts_count: 2,
      last_status_code: 200,
      created_at: expect.any(String),
      finished_at: expect.any(String),
      dropped_claims: ['sub'],
    }
    const attempt = { started_at: expect.any(String), duration_ms: expect.any(Number) }
    const attempts = [
      { ...attempt, number: 1, jti: first?.jti, status_code: 500, answer: 'broken' },
      { ...attempt, number: 2, jti: second?.jti, status_code: 200 },
    ]
    expect(await list(resource)).toEqual([record])
    expect((await ask('GET', `${resource}/deliveries/${first?.sub}`)).body.result).toEqual({ ...record, attempts })
  })

  test('can be had of runs alone, and of events alone', async () => {
    const { id, path, resource } = await addHook('hook', { inTurn: [{ body: '[]' }, {}] })
    await run()
    await run()
    const [dropped, succeeded] = claimsAt(path).map(({ sub }) => sub)
    const event = makeId(clock.now())
    await writeLog(database.write, { organizationId: organization.id, webhookId: id }, [event])
    const found: [string, (string | undefined)[]][] = [
      ['trigger_name=token_minted', [succeeded, dropped]],
      ['trigger_name=token_minted&status=dropped', [dropped]],
      ['trigger_name=token_minted&status=pending', []],
      ['trigger_name=PersonCreated_v1', [event]],
      ['status=succeeded', [event, succeeded]],
      ['', [event, succeeded, dropped]],
    ]
    for (const [query, ids] of found) expect({ query, ids: idsOf(await list(resource, query)) }).toEqual({ query, ids })
    expect(await list(resource, 'status=dropped')).toMatchObject([{ ...trigger, reason: 'unusable_answer' }])
  })

  test('cannot make a run again: 400, and one for a span of time leaves it as it is', async () => {
    const { id, path, resource } = await addHook('hook')
    await run()
    await ask('POST', `${resource}/triggers`, { trigger_type: 'event', trigger_name: 'PersonCreated_v1' })
    const event = makeId(clock.now())
    await writeLog(database.write, { organizationId: organization.id, webhookId: id }, [event])
    const [claims] = claimsAt(path)
    expect(await ask('POST', `${resource}/deliveries/${claims?.sub}/redeliver`)).toMatchObject(
      refused(400, 'delivery: is a hook run, which is over with its sign-in'),
    )
    const since = toTimestamp(clock.now() - 60_000)
    const until = toTimestamp(clock.now() + 60_000)
    expect((await ask('POST', `${resource}/redeliver`, { since, until })).status).toBe(202)
    expect(await list(resource)).toMatchObject([
      { id: event, status: 'pending' },
      { id: claims?.sub, status: 'succeeded' },
    ])
  })
})

test('a paused webhook runs its hook all the same: pausing is for events', async () => {
  const { path, resource } = await addHook('hook', answering({ a: 1 }))
  const { body } = await service.as(organization, 'PATCH', resource, { enabled: false })
  expect(body.result).toMatchObject({ enabled: false, paused_reason: 'requested' })
  expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
  expect(receiver.received(path)).toHaveLength(1)
})

describe('slots', () => {
  test('an organization that uses up its own waits two seconds and fails; another one is served meanwhile', async () => {
    hooks = makeHooks({ caps: { inAll: 3, perOrganization: 1 } })
    const { id, path } = await addHook('hanging', { hang: true }, { timeout: '3s' })
    const [first, second] = [run(), run()]
    await receiver.waitFor(path, 1)
    const slow = organization
    organization = await service.organization()
    await addHook('quick', answering({ a: 1 }))
    for (let index = 0; index < 10; index++) expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    expect(await second).toMatchObject({ outcome: 'failed' })
    organization = slow
    expect(await logOf(id)).toMatchObject([{ status: 'dropped', reason: 'no_slot', attempts_count: 0, attempts: [] }])
    receiver.behave(path, {})
    expect(await first).toEqual({ outcome: 'succeeded', claims: {} })
  })

  test('a hundred runs at once all end, each with its own sub', async () => {
    hooks = makeHooks({ caps: { inAll: 10, perOrganization: 10 } })
    const { id, path } = await addHook('hook', answering({ a: 1 }))
    const outcomes = await Promise.all(Array.from({ length: 100 }, run))
    expect(outcomes).toEqual(Array(100).fill({ outcome: 'succeeded', claims: { a: 1 } }))
    expect(new Set(claimsAt(path).map(({ sub }) => sub)).size).toBe(100)
    expect(await logOf(id)).toHaveLength(100)
  })
})
