import { clientOf } from './client.ts'
import type { Credentials } from './exchange.ts'
import { operatorKey, type Signet } from './signet.ts'

/** Over HTTP: a new organization. */
export async function makeOrganization({ port }: Pick<Signet, 'port'>): Promise<Credentials> {
  const { id, api_key } = await clientOf(port, { 'service-operator-key': operatorKey }).post('/organizations', {
    name: 'Bench',
  })
  return { organizationId: id, apiKey: api_key }
}

/** Over HTTP: a webhook with one trigger, for events and with the default timeout unless others are said. Gives its ID. */
export async function addWebhook(
  { port }: Pick<Signet, 'port'>,
  { organizationId, apiKey }: Credentials,
  targetUrl: string,
  trigger: string,
  { type = 'event', timeout = '0s' }: { type?: 'event' | 'sync_hook'; timeout?: string } = {},
): Promise<string> {
  const { post } = clientOf(port, { 'service-orgid': organizationId, 'service-api-key': apiKey })
  const { id } = await post('/organizations/webhooks', { target_url: targetUrl, name: 'Bench', timeout })
  await post(`/organizations/webhooks/${id}/triggers`, { trigger_type: type, trigger_name: trigger })
  return id
}

/** Over HTTP: an application that wants logout tokens. Gives its client id. */
export async function addApplication(
  { port }: Pick<Signet, 'port'>,
  { organizationId, apiKey }: Credentials,
  uri: string,
): Promise<string> {
  const { post } = clientOf(port, { 'service-orgid': organizationId, 'service-api-key': apiKey })
  const fields = { name: 'Bench', redirect_uris: ['https://example.com/cb'], backchannel_logout_uri: uri }
  const { client_id } = await post('/organizations/applications', fields)
  // The keys of an issuer are made when somebody first asks for them.
  await fetch(`http://localhost:${port}/oidc/${organizationId}/jwks`)
  return client_id
}

/** Over HTTP. Gives the id. */
export async function makePerson(
  { port }: Pick<Signet, 'port'>,
  { organizationId, apiKey }: Credentials,
): Promise<string> {
  const { post } = clientOf(port, { 'service-orgid': organizationId, 'service-api-key': apiKey })
  return (await post('/persons', {})).person_id
}
