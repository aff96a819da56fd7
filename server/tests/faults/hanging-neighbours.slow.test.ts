import { expect, test, vi } from 'vitest'
import { ofForm } from '../support/form.ts'
import type { Behaviour } from '../support/receiver.ts'
import { addWebhook } from '../support/webhooks.ts'
import { limits, setScene } from './support/scene.ts'
import { patience, tell, timeoutMs } from './support/suite.ts'

/** Three times as many as may be called at once that are not healthy. */
const hanging = 24
const fewCalls = { SIGNET_MAX_CONCURRENCY: '16', SIGNET_MAX_CONCURRENCY_PER_ORGANIZATION: '16' }
const fewLimits = { ...limits, perOrganization: 16, total: 16 }
const hangS = 3
const arrivals = ofForm(2, 20)
/** How a receiver behaves that is not to wait for them, and how many calls show it. */
const others: Record<string, { behaviour: Behaviour; events: number; calls: number }> = {
  new: { behaviour: {}, events: 1, calls: 1 },
  slow: { behaviour: { delayMs: 1_100 }, events: 2, calls: 2 },
  stumbling: { behaviour: { first: { times: 1, status: 500 } }, events: 1, calls: 2 },
}

test('Receivers that never answer hold up none that is new, slow, or failed just now', {
  timeout: timeoutMs,
}, async (context) => {
  const scene = await setScene(context)
  const { receiver } = scene
  const signet = await scene.start({ env: fewCalls })
  const theirs = await signet.organization()
  for (let index = 0; index < hanging; index++) {
    const url = receiver.url(`/hanging/${index}`)
    receiver.behave(`/hanging/${index}`, { hang: true })
    await addWebhook(signet, theirs, url, ['VirtualPageLoaded_v1'], { timeout: `${hangS}s` })
  }
  // So much that each of them is due again and again.
  expect(await scene.publish(signet, theirs, 'VirtualPageLoaded_v1', 50)).toBe(201)
  const failing = async () => (await scene.query<{ count: number }>('select count(*)::int from lanes where failing'))[0]
  await vi.waitFor(async () => expect(await failing()).toEqual({ count: hanging }), { ...patience, timeout: 60_000 })

  const waits: Record<string, number[]> = {}
  for (let arrival = 1; arrival <= arrivals; arrival++)
    for (const [kind, { behaviour, events, calls }] of Object.entries(others)) {
      const path = `/${kind}/${arrival}`
      receiver.behave(path, behaviour)
      const ours = await signet.organization()
      await addWebhook(signet, ours, receiver.url(path), ['PersonCreated_v1'])
      const publishedAt = performance.now()
      for (let event = 0; event < events; event++)
        expect(await scene.publish(signet, ours, 'PersonCreated_v1', 1)).toBe(201)
      await receiver.waitFor(path, calls, patience.timeout)
      waits[kind] = [...(waits[kind] ?? []), Math.round(performance.now() - publishedAt)]
    }
  // Less than the shortest time in which one of the others gives up its call.
  expect(Math.max(...Object.values(waits).flat())).toBeLessThan(hangS * 1_000)
  const counts = await scene.check({ limits: fewLimits })
  const shown = Object.fromEntries(Object.entries(waits).map(([kind, ms]) => [`${kind} (ms)`, ms.join('/')]))
  tell('others beside those that hang', { ...shown, ...counts })
})

test('Slow receivers leave a turn to one that has failed for long', { timeout: timeoutMs }, async (context) => {
  const scene = await setScene(context)
  const { receiver } = scene
  const signet = await scene.start({ env: { SIGNET_MAX_CONCURRENCY: '1', SIGNET_RETRY_WINDOW: '10m' } })
  const [ours, theirs] = [await signet.organization(), await signet.organization()]
  receiver.behave('/failing', { status: 500 })
  await addWebhook(signet, ours, receiver.url('/failing'), ['PersonCreated_v1'])
  expect(await scene.publish(signet, ours, 'PersonCreated_v1', 1)).toBe(201)
  const failing = () => scene.query('select from lanes where failing')
  await vi.waitFor(async () => expect(await failing()).toHaveLength(1), patience)
  for (const path of ['/slow/1', '/slow/2']) {
    receiver.behave(path, { delayMs: 1_500 })
    await addWebhook(signet, theirs, receiver.url(path), ['VirtualPageLoaded_v1'])
  }
  expect(await scene.publish(signet, theirs, 'VirtualPageLoaded_v1', 10)).toBe(201)
  await receiver.waitFor('/slow/2', 1)
  receiver.behave('/failing', {})
  const before = receiver.received('/failing').length
  const calls = receiver.all().length
  await receiver.waitFor('/failing', before + 1, patience.timeout)
  // Two of a turn each, and those that were under way.
  expect(receiver.all().length - calls).toBeLessThan(8)
})
