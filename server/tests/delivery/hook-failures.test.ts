import { describe, expect, test } from 'vitest'
import { laneOfWebhook, pauseAllLanes } from '../../src/delivery/queue/index.ts'
import { createLoadTargets } from '../../src/delivery/webhooks/index.ts'
import { createKeys } from '../../src/ground/keys/index.ts'
import type { Outcome } from '../../src/ground/outbound/index.ts'
import {
  addHook,
  answering,
  claimsAt,
  clock,
  database,
  egress,
  failing,
  hooksThat,
  logOf,
  makeHooks,
  organization,
  pausesOf,
  receiver,
  run,
  service,
  setUpHooks,
  trigger,
  useHooks,
} from '../support/hooks.ts'
import type { Behaviour } from '../support/receiver.ts'
import { makeKeyring } from '../support/service.ts'

setUpHooks()

describe('A hook request that fails (6.2, rule 5)', () => {
  // Proves 6.2, rule 5/1, 6.2, rule 5/2, 6.3/9, 8/9.
  test.each([300, 302, 400, 404, 410, 429, 500, 503])(
    'A hook request answered with %i is made three times, signed anew with the same sub, and fails the run',
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

  // Proves 6.2, rule 5/1.
  test('A hook request succeeds with its last attempt, whose response counts', async () => {
    const { id, path } = await addHook('hook', {
      inTurn: [{ ...failing, ...answering({ a: 1 }) }, { reset: true }, answering({ a: 3 })],
    })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 3 } })
    expect(receiver.received(path)).toHaveLength(3)
    const attempts = [{ status_code: 500 }, { error: 'connection_reset' }, { status_code: 200 }]
    expect(await logOf(id)).toMatchObject([{ status: 'succeeded', reason: null, attempts_count: 3, attempts }])
  })

  test('A hook request that is refused a connection is retried, at the address that the webhook has then', async () => {
    const { id, path, resource } = await addHook('hook', answering({ a: 1 }))
    const move = (target_url: string) => service.as(organization, 'PATCH', resource, { target_url })
    await move(`https://${receiver.host}:1/nobody-listens`)
    useHooks(hooksThat(async () => move(receiver.url(path))))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    expect(await logOf(id)).toMatchObject([{ attempts: [{ error: 'connection_refused' }, { status_code: 200 }] }])
  })

  // Proves 2.4/9.
  test.each<[string, Behaviour]>([
    ['never begins', { hang: true }],
    ['never ends', { ...answering({ a: 1 }), stall: true }],
    ['comes too late', { ...answering({ a: 1 }), delayMs: 1_000 }],
  ])('A hook request whose response %s is retried after the timeout of the webhook (2.4)', async (_name, behaviour) => {
    const { id } = await addHook('hook', behaviour, { timeout: '100ms' })
    expect(await run()).toMatchObject({ outcome: 'failed' })
    const [row] = await logOf(id)
    expect(row?.attempts.map(({ error }) => error)).toEqual(Array(3).fill(expect.stringMatching(/timeout$/)))
  })

  // Proves 2.4/11, 6.2, rule 6/2, 8/7.
  test('A hook request is retried when nothing comes for two seconds, where the webhook has no timeout (6.2, rule 6)', async () => {
    const { id } = await addHook('hook', { inTurn: [{ hang: true }, answering({ a: 1 })] })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    const [first] = (await logOf(id))[0]?.attempts ?? []
    expect(first).toMatchObject({ error: 'timeout' })
    expect(first?.duration_ms).toBeGreaterThan(1_990)
    expect(first?.duration_ms).toBeLessThan(9_000)
  })

  // Proves 6.2, rule 5/2.
  test('A failed hook does not fail the run where the trigger says on_failure: continue; the others still count', async () => {
    const failed = await addHook('failing', failing, { on_failure: 'continue' })
    const unusable = await addHook('unusable', { body: '[]' }, { on_failure: 'continue' })
    await addHook('fine', answering({ a: 1 }))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    const log = await logOf(failed.id, unusable.id)
    expect(log.map(({ reason }) => reason)).toEqual(['attempts_failed', 'unusable_answer'])
  })

  test('A failed hook fails the run however many others succeed; each of them is in the log', async () => {
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
  ])('A hook request is not retried once its %s is deleted, and its failure no longer counts', async (what, remove) => {
    const { id, path, resource } = await addHook('hook', failing)
    useHooks(hooksThat(() => remove(resource)))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: {} })
    expect(receiver.received(path)).toHaveLength(1)
    expect(await logOf(id)).toMatchObject([{ status: 'cancelled', reason: `${what}_deleted`, attempts_count: 1 }])
  })

  test("A hook whose organization's secrets no master key decrypts fails with a message that says so", async () => {
    const { id } = await addHook('hook', {}, { custom_headers: { 'x-token': ['secret'] } })
    const other = makeKeyring()
    const { findSigners } = createKeys({ database, clock, keyring: other, keyLeadMs: 0, keyRotationMs: 1e9 })
    const unreadable: string[] = []
    const onUnreadable = (organizationId: string) => unreadable.push(organizationId)
    for (const others of [{ loadTargets: createLoadTargets(other, laneOfWebhook) }, { findSigners, onUnreadable }]) {
      useHooks(makeHooks(others))
      expect(await run()).toMatchObject({ outcome: 'failed' })
    }
    expect((await logOf(id)).map(({ reason }) => reason)).toEqual(['unreadable_headers', 'no_signing_key'])
    expect(unreadable).toEqual([organization.id])
  })
})

describe('The hooks of a copy that was restored from a backup', () => {
  test.each([
    ['enabled', true, 'restored'],
    ['paused', false, 'requested'],
  ] as const)('No hook of a webhook that was %s is called before somebody resumes it', async (_, enabled, reason) => {
    const { id, path } = await addHook('hook', answering({ a: 1 }))
    const change = (body: object) => service.as(organization, 'PATCH', `/organizations/webhooks/${id}`, body)
    await change({ enabled })
    await database.transaction(pauseAllLanes)
    expect(await run()).toMatchObject({ outcome: 'failed' })
    expect(receiver.received(path)).toHaveLength(0)
    expect(await logOf(id)).toMatchObject([{ status: 'dropped', reason: 'webhook_restored', attempts_count: 0 }])
    expect((await change({ enabled: false })).body.result).toMatchObject({ paused_reason: reason })
    expect(await run()).toMatchObject({ outcome: 'failed' })
    await change({ enabled: true })
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
  })
})

describe('An attempt for which the process has no descriptor', () => {
  const none: Outcome = { kind: 'failed', error: 'no_descriptors', durationMs: 1 }

  test('A hook waits for a descriptor without counting an attempt, and is sent as soon as there is one', async () => {
    const { id } = await addHook('hook', answering({ a: 1 }))
    let left = 5
    useHooks(makeHooks({ egress: { ...egress, post: async (call) => (left-- > 0 ? none : egress.post(call)) } }))
    expect(await run()).toEqual({ outcome: 'succeeded', claims: { a: 1 } })
    expect(await logOf(id)).toMatchObject([{ attempts_count: 1, attempts: [{ number: 1, status_code: 200 }] }])
  })

  test('A hook that gets no descriptor fails after two seconds, as one without a slot does', async () => {
    const { id } = await addHook('hook')
    useHooks(makeHooks({ egress: { ...egress, post: async () => none } }))
    expect(await run()).toMatchObject({ outcome: 'failed' })
    expect(await logOf(id)).toMatchObject([{ reason: 'no_slot', attempts_count: 0, attempts: [] }])
  })
})
