import { expect } from 'vitest'
import { type Receiver, startReceiver } from './receiver.ts'
import { refused } from './refused.ts'
import { type Organization, type Signet, startOwnSignet } from './signet.ts'
import { addWebhook } from './webhooks.ts'

export const unknownId = '01890000-0000-7000-8000-000000000000'
export const noWebhook = refused(404, 'webhook: not found')

/** The window is over before the second attempt: what fails is dropped. */
const once = { SIGNET_RETRY_INITIAL: '100ms', SIGNET_RETRY_MAX: '100ms', SIGNET_RETRY_WINDOW: '50ms' }

export let receiver: Receiver
export let signet: Signet
export let ours: Organization

export async function openDeliveries() {
  receiver = await startReceiver()
  const env = { ...once, SIGNET_RATE_TEST_EVENTS: '100000/100000' }
  signet = await startOwnSignet({ receiver, env })
}

export const closeDeliveries = () => Promise.all([signet?.stop(), receiver?.stop()])

export async function newOrganization() {
  ours = await signet.organization()
}

export const ask = (method: string, path: string, body?: unknown, organization = ours) =>
  signet.as(organization, method, path, body)

/** A webhook of this organization, at a path of its own. */
export async function subscribe(name = 'hook', fields: object = {}) {
  const path = `/${ours.id}/${name}`
  const id = await addWebhook(signet, ours, receiver.url(path), ['PersonCreated_v1', 'PersonDeleted_v1'], fields)
  const resource = `/organizations/webhooks/${id}`
  return { id, path, resource, deliveries: `${resource}/deliveries` }
}

export type Webhook = Awaited<ReturnType<typeof subscribe>>

/** Gives the ids of the events, in their order. */
export async function publish(count = 1, event_name = 'PersonCreated_v1'): Promise<string[]> {
  const { body } = await ask('POST', '/test-events', Array(count).fill({ event_name }))
  return body.result.map(({ event_id }: { event_id: string }) => event_id)
}

export type Delivery = { id: string; status: string; [field: string]: unknown }

export const get = async ({ deliveries }: Webhook, id: string | undefined) =>
  (await ask('GET', `${deliveries}/${id}`)).body.result

export const list = async ({ deliveries }: Webhook, query = ''): Promise<Delivery[]> =>
  (await ask('GET', `${deliveries}?${query}`)).body.result
export const idsOf = (found: Delivery[]) => found.map(({ id }) => id)

export const untilStatus = (webhook: Webhook, id: string | undefined, status: string) =>
  expect.poll(async () => (await get(webhook, id)).status, { timeout: 10_000 }).toBe(status)

export async function untilAll(webhook: Webhook, count: number, status: string) {
  await expect.poll(() => list(webhook, `status=${status}&limit=1000`), { timeout: 10_000 }).toHaveLength(count)
}

export const pause = ({ resource }: Webhook) => ask('PATCH', resource, { enabled: false })
export const resume = ({ resource }: Webhook) => ask('PATCH', resource, { enabled: true })
export const triggerQuery = '/triggers?trigger_type=event&trigger_name=PersonCreated_v1'
