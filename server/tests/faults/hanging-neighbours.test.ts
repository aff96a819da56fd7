import { expect, test, vi } from 'vitest'
import { addWebhook } from '../support/webhooks.ts'
import { caps, setScene } from './support/scene.ts'
import { ofForm, patience, tell, timeoutMs } from './support/suite.ts'

/** Three times as many as may be called at once that do not answer. */
const hanging = 24
const fewCalls = { SIGNET_CALLS_IN_ALL: '16', SIGNET_CALLS_PER_ORGANIZATION: '16' }
const fewCaps = { ...caps, perOrganization: 16, inAll: 16 }
const hangS = 3
const arrivals = ofForm(3, 20)

test('a new webhook waits for none of those that never answer', { timeout: timeoutMs }, async (context) => {
  const scene = await setScene(context)
  const { receiver } = scene
  const signet = await scene.start({ env: fewCalls })
  const theirs = await signet.organization()
  const paths = Array.from({ length: hanging }, (_, index) => `/hanging/${index}`)
  for (const path of paths) {
    receiver.behave(path, { hang: true })
    await addWebhook(signet, theirs, receiver.url(path), ['VirtualPageLoaded_v1'], { timeout: `${hangS}s` })
  }
  // So much that each of them is due again and again.
  expect(await scene.publish(signet, theirs, 'VirtualPageLoaded_v1', 50)).toBe(201)
  const isKnown = (path: string) => receiver.received(path).length > 1
  await vi.waitFor(() => expect(paths.filter((path) => !isKnown(path))).toEqual([]), { ...patience, timeout: 60_000 })

  const waits: number[] = []
  for (let arrival = 1; arrival <= arrivals; arrival++) {
    const ours = await signet.organization()
    await addWebhook(signet, ours, receiver.url(`/new/${arrival}`), ['PersonCreated_v1'])
    const publishedAt = performance.now()
    expect(await scene.publish(signet, ours, 'PersonCreated_v1', 1)).toBe(201)
    await vi.waitFor(() => expect(receiver.received(`/new/${arrival}`)).not.toEqual([]), patience)
    waits.push(Math.round(performance.now() - publishedAt))
  }
  // Less than the shortest time in which one of them gives up its call.
  expect(Math.max(...waits)).toBeLessThan(hangS * 1_000)
  const counts = await scene.check({ caps: fewCaps })
  tell('new webhooks beside hanging ones', { waits, ...counts })
})
