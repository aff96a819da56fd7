import { type TriggerName, verifyWebhook, type Webhook } from '@signet/webhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const events: TriggerName[] = [
  'AuthenticationSucceeded_v1',
  'AuthenticationFailed_v1',
  'VirtualPageLoaded_v1',
  'PersonCreated_v1',
  'PersonDeleted_v1',
  'PersonDeactivated_v1',
  'PersonActivated_v1',
  'PersonGroupsChanged_v1',
]

let receiver: Receiver
let signet: Signet
let organization: Organization

beforeAll(async () => {
  receiver = await startReceiver()
  signet = await startOwnSignet({ receiver })
  organization = await signet.organization()
})

afterAll(() => Promise.all([signet?.stop(), receiver?.stop()]))

/** Under addresses of the receiver's own; the keys come from the running service. */
const verify = (body: string, path: string, organizationId = organization.id): Promise<Webhook> =>
  verifyWebhook(body, { issuer: signet.baseUrl, organizationId, targetUrl: receiver.url(path) })

const publish = () =>
  signet.as(
    organization,
    'POST',
    '/test-events',
    events.map((event_name) => ({ event_name })),
  )

// Proves 6.3/8.
test('The library verifies every event of the service, also after its keys have rotated (6.3)', async () => {
  await addWebhook(signet, organization, receiver.url('/events'), events)
  for (const round of [1, 2]) {
    await publish()
    const requests = await receiver.waitFor('/events', round * events.length)
    const latest = requests.slice(-events.length)
    const webhooks = await Promise.all(latest.map(({ body }) => verify(body, '/events')))
    expect(webhooks.map(({ trigger_name }) => trigger_name).sort()).toEqual(events.toSorted())
    await signet.as(organization, 'POST', '/organizations/webhooks/verification-keys/rotate', { emergency: true })
  }
})

test('The library refuses a token for another receiver, or of another organization', async () => {
  await addWebhook(signet, organization, receiver.url('/ours'), ['PersonCreated_v1'])
  await publish()
  const [{ body } = { body: '' }] = await receiver.waitFor('/ours', 1)
  await expect(verify(body, '/ours')).resolves.toMatchObject({ trigger_name: 'PersonCreated_v1' })
  await expect(verify(body, '/theirs')).rejects.toMatchObject({ code: 'wrong_target_url' })
  const theirs = await signet.organization()
  await expect(verify(body, '/ours', theirs.id)).rejects.toMatchObject({ code: 'unknown_key' })
})
