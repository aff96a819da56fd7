import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { type Received, type Receiver, startReceiver } from './receiver.ts'
import { type Organization, type Signet, startOwnSignet } from './signet.ts'
import { addWebhook } from './webhooks.ts'

export const correlationId = '0199a3f2-0000-4000-8000-00000000abcd'

/** Attempts at 0, 100, 300 and 700 ms, then dropped: the schedule of 6.2, rule 4, six hundred times as fast. */
const fast = { SIGNET_RETRY_INITIAL: '100ms', SIGNET_RETRY_MAX: '800ms', SIGNET_RETRY_WINDOW: '1400ms' }

export let receiver: Receiver
export let signet: Signet
export let ours: Organization

/** Of a webhook without a timeout, whose receiver never answers; called before all else. */
export let silentPath: string

export async function openDelivery() {
  receiver = await startReceiver()
  const env = {
    ...fast,
    SIGNET_REGIONS: 'local,eu',
    SIGNET_WEBHOOK_RESOLVE: `${receiver.resolve},${receiver.host}:1:127.0.0.1`,
  }
  signet = await startOwnSignet({ receiver, env })
  ours = await signet.organization()
  silentPath = (await subscribe('silent')).path
  receiver.behave(silentPath, { hang: true })
  await publish()
}

export const closeDelivery = () => Promise.all([signet?.stop(), receiver?.stop()])

export async function newOrganization() {
  ours = await signet.organization()
}

export const ask = (method: string, path: string, body?: unknown) =>
  signet.as(ours, method, path, body, { 'Service-Correlation-Id': correlationId })

/** Gives the id of the event. */
export async function publish(event_name = 'PersonCreated_v1'): Promise<string> {
  return (await ask('POST', '/test-events', [{ event_name }])).body.result[0].event_id
}

/** A path of this organization's own, and the webhook that is called there. */
export async function subscribe(name: string, events = ['PersonCreated_v1'], fields: object = {}) {
  const path = `/${ours.id}/${name}`
  const target_url = receiver.url(path)
  const id = await addWebhook(signet, ours, target_url, events, fields)
  return { path, id, target_url, resource: `/organizations/webhooks/${id}` }
}

type Claims = JWTPayload & Record<'webhook_id' | 'target_url' | 'trigger_type' | 'trigger_name', string>
type Content = { event_metadata: { event_id: string; event_name: string }; [field: string]: unknown }

/** What a careful receiver does, with the published key set of the organization (6.3, receiver checks). */
export async function verify({ body }: Pick<Received, 'body'>, organization = ours) {
  const { body: keySet } = await signet.call('GET', '/organizations/webhooks/verification-jwks', {
    'Service-OrgID': organization.id,
  })
  const { payload, protectedHeader } = await jwtVerify<Claims & { trigger_content: Content }>(
    body,
    createLocalJWKSet(keySet),
    { algorithms: ['ES256'], audience: organization.id, issuer: signet.baseUrl, maxTokenAge: '5m' },
  )
  return { claims: payload, header: protectedHeader, keys: keySet.keys as { kid: string }[] }
}

export const claimsOf = async (requests: Received[]) =>
  Promise.all(requests.map(async (request) => (await verify(request)).claims))

export const linesOf = (request: Received | undefined, name: string): string[] =>
  (request?.rawHeaders ?? []).flatMap((line, index, lines) =>
    index % 2 === 0 && line.toLowerCase() === name.toLowerCase() ? [lines[index + 1] ?? ''] : [],
  )
