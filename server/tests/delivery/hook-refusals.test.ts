import { describe, expect, test } from 'vitest'
import {
  addHook,
  answering,
  failing,
  logged,
  logOf,
  makeHooks,
  organization,
  receiver,
  run,
  service,
  setUpHooks,
  trigger,
  useHooks,
} from '../support/hooks.ts'
import type { Behaviour } from '../support/receiver.ts'

setUpHooks()

const denying = (deny: unknown, others: object = {}): Behaviour => answering({ deny, ...others })
const ended = { reason: 'Your plan has ended.', code: 'plan_ended' }
const refused = { outcome: 'refused', refusal: ended }
const dryRun = async (resource: string) => (await service.as(organization, 'POST', `${resource}/dry-run`)).body.result

describe('A hook that refuses (8)', () => {
  // Proves 6.2, rule 5/3.
  test.each(['fail', 'continue'] as const)(
    'A refusal is one call, whatever the trigger says (on_failure: %s), and is in the log with its code alone',
    async (on_failure) => {
      const { id, path, resource } = await addHook('hook', denying(ended, { plan: 'gold' }), { on_failure })
      expect(await run()).toMatchObject({ ...refused, detail: `webhook ${id}: refused, plan_ended` })
      expect(receiver.received(path)).toHaveLength(1)
      const [row] = await logOf(id)
      expect(row).toMatchObject({ status: 'refused', reason: null, attempts_count: 1, dropped_claims: null })
      expect(row?.attempts).toMatchObject([{ status_code: 200, refusal_code: 'plan_ended' }])
      expect(logged).toMatchObject([{ webhook_id: id, refusal_code: 'plan_ended' }])
      const { body } = await service.as(organization, 'GET', `${resource}/deliveries?status=refused`)
      expect(body.result).toMatchObject([{ ...trigger, status: 'refused', refusal_code: 'plan_ended' }])
      for (const shown of [row, logged, body]) expect(JSON.stringify(shown)).not.toContain(ended.reason)
    },
  )

  test.each([[true], ['no'], [0], [{}], [{ reason: 7 }], [[]]])('A response whose deny is %j refuses', async (deny) => {
    await addHook('hook', denying(deny))
    expect(await run()).toMatchObject({ outcome: 'refused', refusal: {} })
  })

  test.each([[false], [null]])(
    'A response whose deny is %j adds its other members, and no claim deny',
    async (deny) => {
      const { id } = await addHook('hook', denying(deny, { plan: 'gold' }))
      expect(await run()).toEqual({ outcome: 'succeeded', claims: { plan: 'gold' } })
      expect(await logOf(id)).toMatchObject([{ status: 'succeeded', dropped_claims: null }])
    },
  )

  test.each<[string, string]>([
    ['a reason of 10,000 characters', JSON.stringify({ deny: { reason: 'x'.repeat(10_000) } })],
    ['lone surrogates', '{"deny":{"reason":"\\ud800no\\udfff"},"\\ud800":"\\udc00"}'],
    ['U+0000', '{"deny":{"reason":"\\u0000no"},"\\u0000":1}'],
    ['claims that are nested too deep', `{"deny":true,"a":${'['.repeat(40)}${']'.repeat(40)}}`],
    ['a byte order mark', `\ufeff{"deny":{}}`],
    ['claims of more than 8 KiB', JSON.stringify({ deny: {}, a: 'x'.repeat(20_000) })],
  ])('A refusal with %s refuses, also where a failure would be passed over', async (_what, body) => {
    await addHook('hook', { body }, { on_failure: 'continue' })
    expect(await run()).toMatchObject({ outcome: 'refused' })
  })

  test('A status above 299 is a failed call, whatever its body says', async () => {
    const { id, path } = await addHook('hook', { status: 403, ...denying(ended) })
    expect(await run()).toMatchObject({ outcome: 'failed' })
    expect(receiver.received(path)).toHaveLength(3)
    expect(await logOf(id)).toMatchObject([{ status: 'dropped', reason: 'attempts_failed' }])
  })

  test.each<[string, Behaviour, 'fail' | 'continue']>([
    ['has failed', { body: '[]' }, 'fail'],
    ['adds claims', answering({ plan: 'gold' }), 'fail'],
    ['has failed and is passed over', { body: '[]' }, 'continue'],
  ])('A refusal wins over another hook that %s', async (_what, behaviour, on_failure) => {
    const first = await addHook('first', behaviour, { on_failure })
    await addHook('second', { ...denying(ended), delayMs: 200 })
    expect(await run()).toMatchObject(refused)
    const expected = behaviour.body === '[]' ? 'dropped' : 'succeeded'
    expect(await logOf(first.id)).toMatchObject([{ status: expected }])
  })

  test.each<[string, Behaviour]>([
    ['never answers', { hang: true }],
    ['would be tried again', { ...failing, delayMs: 1_000 }],
  ])('A refusal is not kept waiting by another hook that %s', async (_what, behaviour) => {
    const first = await addHook('first', behaviour, { timeout: '20s' })
    const second = await addHook('second', denying(ended))
    const begunAt = performance.now()
    expect(await run()).toMatchObject(refused)
    expect(performance.now() - begunAt).toBeLessThan(5_000)
    expect(await logOf(first.id)).toMatchObject([{ status: 'cancelled', reason: 'sign_in_refused', attempts_count: 0 }])
    expect(await logOf(second.id)).toMatchObject([{ status: 'refused' }])
  })

  test('A hook whose request fails after another one has refused is tried no more', async () => {
    const outcomes: string[] = []
    useHooks(makeHooks({ onCalled: ({ outcome }) => outcomes.push(outcome) }))
    const first = await addHook('first', { ...failing, delayMs: 1_000 }, { timeout: '20s' })
    await addHook('second', denying(ended))
    expect(await run()).toMatchObject(refused)
    await expect.poll(() => outcomes, { timeout: 20_000 }).toEqual(['refused', 'sign_in_refused'])
    expect(receiver.received(first.path)).toHaveLength(1)
  })

  test('A dry run shows the refusal as the application would get it, and what the log would show', async () => {
    const { resource } = await addHook('hook', denying({ reason: `"A"\n${'x'.repeat(400)}`, code: 'plan_ended' }))
    const shown = await dryRun(resource)
    expect(shown).toMatchObject({ status: 'refused', claims: {}, attempts: [{ refusal_code: 'plan_ended' }] })
    expect(shown.refusal).toEqual({ reason: `A ${'x'.repeat(298)}`, code: 'plan_ended' })
    const { body } = await service.as(organization, 'GET', '/organizations/audit-log?action=dryRunWebhook')
    expect(JSON.stringify(body)).not.toContain('xxx')
  })
})
