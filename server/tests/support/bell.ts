import type { Receiver } from './receiver.ts'
import type { Client } from './signet.ts'
import { addWebhook } from './webhooks.ts'

/**
 * Gives what wakes the worker of a service, which sleeps on real timers, after its clock was moved: an event of another
 * organization, whose webhook is paused meanwhile, or it would be claimed at once and wake nobody. Once that has arrived,
 * everything that was due has been claimed as well.
 */
export async function hangBell(client: Client, receiver: Receiver) {
  const ringer = await client.organization()
  const path = `/bell/${ringer.id}`
  const id = await addWebhook(client, ringer, receiver.url(path), ['VirtualPageLoaded_v1'])
  let count = 0
  return async (through = client) => {
    const enable = (enabled: boolean) => through.as(ringer, 'PATCH', `/organizations/webhooks/${id}`, { enabled })
    await enable(false)
    await through.as(ringer, 'POST', '/test-events', [{ event_name: 'VirtualPageLoaded_v1' }])
    await enable(true)
    await receiver.waitFor(path, ++count)
  }
}
