import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Failpoint, failpoints } from '../../src/delivery/queue/index.ts'
import { ofForm } from '../support/form.ts'
import { addWebhook, eventNames } from '../support/webhooks.ts'
import { keepPublishing, retry, type Scene, setScene } from './support/scene.ts'
import { chanceOf, tell, timeoutMs } from './support/suite.ts'

const program = join(import.meta.dirname, 'support/killed-at-failpoint.ts')
/** The failpoint is passed at most so often before the kill. */
const maxPassings = 12
/** However long it takes until the next process runs: everything is to arrive. */
const windowMs = 120_000
const env = { SIGNET_RETRY_WINDOW: `${windowMs}ms` }
const killsPerFailpoint = ofForm(1, 8)

/** A failpoint that is never passed kills nobody, and the test waits for its process in vain. */
describe('Failpoints of a delivery', { timeout: timeoutMs }, () => {
  test.for(failpoints)('Each event arrives when a process is killed at %s', async (failpoint, context) => {
    const scene = await setScene(context)
    const chance = chanceOf(failpoint)
    const passings: number[] = []
    for (let kill = 0; kill < killsPerFailpoint; kill++) {
      const passing = 1 + Math.floor(chance() * maxPassings)
      await publishUntilKilled(scene, failpoint, passing)
      passings.push(passing)
      await scene.endLeases()
      const survivor = await scene.start({ env })
      await scene.untilDelivered()
      expect(await survivor.stop()).toBe(0)
    }
    tell(`killed at ${failpoint}, passing ${passings}`, await scene.check({ retry: { ...retry, windowMs } }))
    const states = await scene.query('select distinct status from finished_deliveries')
    expect(states).toEqual([{ status: 'succeeded' }])
  })
})

/**
 * One event goes to a receiver that answers at once, one that takes its time and one that fails at first. Each other one
 * has a receiver for itself, so that nothing but its own wake-up wakes the lane.
 */
async function publishUntilKilled(scene: Scene, failpoint: Failpoint, passing: number) {
  const { receiver } = scene
  const fault = { FAULT_POINT: failpoint, FAULT_PASSING: `${passing}` }
  const doomed = await scene.start({ program, env: { ...env, ...fault } })
  const ended = once(doomed.process, 'exit')
  const organization = await doomed.organization()
  receiver.behave(`/${organization.id}/slow`, { delayMs: 40 })
  receiver.behave(`/${organization.id}/failing`, { first: { times: 3, status: 500 } })
  for (const name of ['quick', 'slow', 'failing'])
    await addWebhook(doomed, organization, receiver.url(`/${organization.id}/${name}`), ['PersonCreated_v1'])
  for (const name of eventNames.filter((other) => other !== 'PersonCreated_v1'))
    await addWebhook(doomed, organization, receiver.url(`/${organization.id}/${name}`), [name])
  let published = 0
  const nextName = () => eventNames[published++ % eventNames.length] ?? ''
  const publishing = keepPublishing(2, () => scene.publish(doomed, organization, nextName(), 2))
  expect(await ended).toEqual([null, 'SIGKILL'])
  await publishing.stop()
}
