import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  addHook,
  answering,
  claimsAt,
  content,
  inside,
  logOf,
  makeHooks,
  organization,
  receiver,
  run,
  service,
  setUpHooks,
  trigger,
  useHooks,
  useOrganization,
  uuid,
} from '../support/hooks.ts'
import type { Behaviour } from '../support/receiver.ts'
import { addWebhook } from '../support/webhooks.ts'

setUpHooks()

describe('The request of a hook', () => {
  // Proves 6.3/9.
  test('The request of a hook is a signed JWT with the custom headers, its sub the run and its content that of the trigger (6.3)', async () => {
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

  // Proves 2.5/3.
  test('A hook request goes to every webhook of the organization that has the trigger, and to no other', async () => {
    const called = [await addHook('a'), await addHook('b')]
    const others = [`/${organization.id}/none`, `/${organization.id}/event`]
    await addWebhook(service, organization, receiver.url(others[0] ?? ''))
    await addWebhook(service, organization, receiver.url(others[1] ?? ''), ['AuthenticationSucceeded_v1'])
    const ours = organization
    useOrganization(await service.organization())
    others.push((await addHook('theirs')).path)
    useOrganization(ours)
    await run()
    for (const { path } of called) expect(receiver.received(path)).toHaveLength(1)
    for (const path of others) expect(receiver.received(path)).toEqual([])
    expect(new Set(called.flatMap(({ path }) => claimsAt(path)).map(({ sub }) => sub)).size).toBe(1)
    expect(new Set(called.flatMap(({ path }) => claimsAt(path)).map(({ jti }) => jti)).size).toBe(2)
  })

  // Proves 6.2, rule 3/1.
  test('Hook requests go to eight receivers at once, in parallel (6.2, rule 3)', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `hook-${index}`)
    const added: Awaited<ReturnType<typeof addHook>>[] = []
    for (const name of names) added.push(await addHook(name, { ...answering({ [name]: true }), together: 8 }))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: Object.fromEntries(names.map((name) => [name, true])) })
    for (const { path } of added) expect(receiver.received(path)).toHaveLength(1)
  })

  test('No hook request is made where no webhook has the trigger', async () => {
    const id = await addWebhook(service, organization, receiver.url(`/${organization.id}/none`))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: {} })
    expect(await logOf(id)).toEqual([])
  })

  test('A hook request holds neither a transaction nor a connection of the database open', async () => {
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

describe('The response of a hook', () => {
  test.each<[string, Behaviour]>([
    ['an empty body', {}],
    ['204', { status: 204 }],
    ['{}', { body: '{}' }],
  ])('A hook response that is %s changes nothing', async (_name, behaviour) => {
    const { id } = await addHook('hook', behaviour)
    expect(await run()).toEqual({ outcome: 'succeeded', claims: {} })
    expect(await logOf(id)).toMatchObject([{ status: 'succeeded', attempts_count: 1, dropped_claims: null }])
  })

  // Proves 6.2, rule 5/3.
  test('A hook response that is an object becomes claims, with any JSON values', async () => {
    const claims = { plan: 'pro', level: 3, tags: ['a', { b: null }], limits: { seats: 5 }, ok: false, none: null }
    await addHook('hook', { ...answering(claims), status: 201 })
    expect(await run()).toEqual({ outcome: 'succeeded', claims })
  })

  test('A hook response may have 8 KiB', async () => {
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
  ])('A hook response that is %s fails the request, which is not retried', async (_name, body, error, times = 1) => {
    // Forty megabytes take the receiver a while.
    const { id, path } = await addHook('hook', { body, times }, { timeout: '20s' })
    expect(await run()).toMatchObject({ outcome: 'failed' })
    expect(receiver.received(path)).toHaveLength(1)
    const attempt = { number: 1, status_code: 200, error, answer: body.slice(0, 1_024) }
    expect(await logOf(id)).toMatchObject([{ status: 'dropped', reason: 'unusable_answer', attempts: [attempt] }])
  })

  test('A hook response that is only a byte order mark and white space changes nothing', async () => {
    await addHook('hook', { body: '\ufeff \r\n' })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: {} })
  })

  test('A hook response cannot set protected claims: they are dropped and noted', async () => {
    const { id } = await addHook('hook', { body: '{"sub":"other","plan":"pro","groups":["root"],"__proto__":{"x":1}}' })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { plan: 'pro' } })
    expect(await logOf(id)).toMatchObject([{ status: 'succeeded', dropped_claims: ['sub', 'groups', '__proto__'] }])
  })

  // Proves 6.2, rule 5/3.
  test('Of several hook responses that of the webhook created first wins, however late it comes', async () => {
    await addHook('first', { ...answering({ a: 1, b: { of: 'first' } }), delayMs: 100 })
    await addHook('second', { ...answering({ a: 2, b: { of: 'second', more: true }, c: 2 }), delayMs: 50 })
    await addHook('third', answering({ a: 3, c: 3, d: 3 }))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1, b: { of: 'first' }, c: 2, d: 3 } })
  })
})

describe('The claims of several hooks together', () => {
  const half = (name: string) => ({ [name]: 'x'.repeat(4_096 - '{"a":"",'.length) })

  // Proves sign-in/65.
  test('The claims of all hooks may have 8 KiB: the first hooks come first, and one that exceeds the limit has failed (6.2, rule 5)', async () => {
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

  test('A hook whose claims exceed the limit loses them, and no other hook does, where its trigger says on_failure: continue', async () => {
    await addHook('first', answering(half('a')))
    await addHook('second', answering({ ...half('b'), c: 1 }), { on_failure: 'continue' })
    await addHook('third', answering({ a: 3, d: 4 }))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { ...half('a'), d: 4 } })
  })
})

test('A paused webhook still runs its hook: pausing is for events', async () => {
  const { path, resource } = await addHook('hook', answering({ a: 1 }))
  const { body } = await service.as(organization, 'PATCH', resource, { enabled: false })
  expect(body.result).toMatchObject({ enabled: false, paused_reason: 'requested' })
  expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
  expect(receiver.received(path)).toHaveLength(1)
})

describe('Slots', () => {
  test('An organization that uses up its slots waits two seconds and fails; another one is served meanwhile', async () => {
    useHooks(makeHooks({ limits: { total: 3, perOrganization: 1 } }))
    const { id, path } = await addHook('hanging', { hang: true }, { timeout: '3s' })
    const [first, second] = [run(), run()]
    await receiver.waitFor(path, 1)
    const slow = organization
    useOrganization(await service.organization())
    await addHook('quick', answering({ a: 1 }))
    for (let index = 0; index < 10; index++) expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    expect(await second).toMatchObject({ outcome: 'failed' })
    useOrganization(slow)
    expect(await logOf(id)).toMatchObject([{ status: 'dropped', reason: 'no_slot', attempts_count: 0, attempts: [] }])
    receiver.behave(path, {})
    expect(await first).toEqual({ outcome: 'succeeded', claims: {} })
  })

  test('A hundred runs at once all end, each with its own sub', async () => {
    useHooks(makeHooks({ limits: { total: 50, perOrganization: 50 } }))
    // A hundred take longer than the two seconds of a hook on a machine that does other work besides.
    const { id, path } = await addHook('hook', answering({ a: 1 }), { timeout: '20s' })
    const outcomes = await Promise.all(Array.from({ length: 100 }, run))
    expect(outcomes).toEqual(Array(100).fill({ outcome: 'succeeded', claims: { a: 1 } }))
    expect(new Set(claimsAt(path).map(({ sub }) => sub)).size).toBe(100)
    expect(await logOf(id)).toHaveLength(100)
  })
})
