import { expect, test, vi } from 'vitest'
import { ofForm } from '../support/form.ts'
import { addWebhook } from '../support/webhooks.ts'
import { maxOpen } from './support/invariants.ts'
import { limits, setScene } from './support/scene.ts'
import { patience, tell, timeoutMs } from './support/suite.ts'

const deadEvents = ofForm(10_000, 50_000)
const healthy = 100
const eventsPerCall = 50
/** Less than one call of the dead receiver takes. */
const promptMs = 10_000

test('10,000 events for a dead receiver delay none of 100 healthy ones', { timeout: timeoutMs }, async (context) => {
  const scene = await setScene(context)
  const { receiver, query } = scene
  const signet = await scene.start()
  const [organization, neighbour] = [await signet.organization(), await signet.organization()]
  receiver.behave('/dead', { hang: true })
  const dead = await addWebhook(signet, organization, receiver.url('/dead'), ['VirtualPageLoaded_v1'], {
    timeout: '20s',
  })
  for (let index = 0; index < healthy; index++) {
    const owner = index % 2 === 0 ? organization : neighbour
    await addWebhook(signet, owner, receiver.url(`/healthy/${index}`), ['PersonCreated_v1'])
  }
  for (let events = 0; events < deadEvents; events += eventsPerCall)
    expect(await scene.publish(signet, organization, 'VirtualPageLoaded_v1', eventsPerCall)).toBe(201)

  const rounds = ofForm(3, 20)
  for (let round = 1; round <= rounds; round++) {
    for (const owner of [organization, neighbour])
      expect(await scene.publish(signet, owner, 'PersonCreated_v1', 1)).toBe(201)
    const isServed = (index: number) => receiver.received(`/healthy/${index}`).length === round
    const served = () => Array.from({ length: healthy }, (_, index) => isServed(index)).filter(Boolean).length
    await vi.waitFor(() => expect(served()).toBe(healthy), { ...patience, timeout: promptMs })
  }
  const [waiting] = await query<{ count: number }>('select count(*)::int from deliveries where webhook_id = $1', [dead])
  expect(waiting?.count).toBeGreaterThan(deadEvents - 100)
  const counts = await scene.check()
  // The healthy ones get one event each; the dead one has its limit at first, and then one call at a time.
  expect(
    maxOpen(
      receiver
        .received('/dead')
        .slice(limits.perWebhook)
        .map(({ begun, ended = Infinity }) => ({ begun, ended })),
    ),
  ).toBeLessThan(3)
  tell('dead receiver beside healthy ones', { waiting: waiting?.count, ...counts })
})
