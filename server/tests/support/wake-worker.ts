import type { Receiver } from './receiver.ts'
import type { Client } from './signet.ts'
import { addWebhook } from './webhooks.ts'

/**
 * Gives what wakes both loops of a service's worker, which sleep on real timers, after its clock was moved: an event of
 * another organization with two webhooks, one that is healthy and one that is new each time. Both are paused while it
 * is published, or it would be claimed at once and wake nobody. Once it has arrived at both, everything that was due
 * has been claimed as well.
 */
export async function prepareWakeUp(client: Client, receiver: Receiver) {
  const waking = await client.organization()
  const path = `/wake/${waking.id}`
  const event = 'VirtualPageLoaded_v1'
  const publish = (through: Client) => through.as(waking, 'POST', '/test-events', [{ event_name: event }])
  const healthy = await addWebhook(client, waking, receiver.url(path), [event])
  await publish(client)
  await receiver.waitFor(path, 1)
  let wakeUps = 1
  return async (through = client) => {
    const newPath = `${path}/${++wakeUps}`
    const ids = [healthy, await addWebhook(through, waking, receiver.url(newPath), [event])]
    const enable = (enabled: boolean) =>
      Promise.all(ids.map((id) => through.as(waking, 'PATCH', `/organizations/webhooks/${id}`, { enabled })))
    await enable(false)
    await publish(through)
    await enable(true)
    await Promise.all([receiver.waitFor(path, wakeUps), receiver.waitFor(newPath, 1)])
    await through.as(waking, 'DELETE', `/organizations/webhooks/${ids[1]}`)
  }
}
