import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { application, baseUrl } from '../../server/tests/support/browser.ts'
import { client } from '../../server/tests/support/upstreams.ts'
import { clientOf } from './client.ts'
import type { Credentials } from './exchange.ts'
import type { Signet } from './signet.ts'

/** Sign-ins that are under way at once. */
export const atOnce = 16
/** Who sign in, over and over. */
export const persons = 200
export const redirectUri = `${application}callback`

/** Where an application has its persons signed in; every server is told that browsers find it at the same address. */
export type Place = { port: number; issuer: string; clientId: string; clientSecret: string; scope: string }

/** What a server that is not Signet has to know: the provider, the application, and where it keeps things. */
export type ServerSettings = {
  upstream: string
  client: typeof client
  baseUrl: string
  application: { clientId: string; clientSecret: string; redirectUri: string }
  connectionString: string
}

/** Below this the provider sends browsers back to. */
export const callbackPath = '/sso/callback'

export const settingsFor = (upstream: string, connectionString: string): ServerSettings => ({
  upstream,
  client,
  baseUrl,
  application: {
    clientId: 'application',
    clientSecret: 'the-secret-of-the-application-of-the-benchmarks',
    redirectUri,
  },
  connectionString,
})

/** What Signet must be told, besides its database, to sign persons in as fast as they come. */
export function signInSettings(folder: string, upstream: string): Record<string, string> {
  const file = join(folder, 'providers.json')
  writeFileSync(file, JSON.stringify({ provider_a: { issuer: upstream, trust_email: true } }))
  return { SIGNET_BASE_URL: baseUrl, SIGNET_PROVIDERS: file, SIGNET_RATE_SIGN_IN: '999999/999999' }
}

/** Over HTTP: a credential at the provider, and an application. */
export async function addSignIn(
  { port }: Pick<Signet, 'port'>,
  { organizationId, apiKey }: Credentials,
): Promise<Place> {
  const { post } = clientOf(port, { 'service-orgid': organizationId, 'service-api-key': apiKey })
  const { clientId: client_id, clientSecret: client_secret } = client
  await post('/organizations/sso/oidc/provider-credentials', { client_id, client_secret, provider: 'provider_a' })
  const fields = { name: 'Bench', redirect_uris: [redirectUri], confidential: true }
  const application = await post('/organizations/applications', fields)
  return {
    port,
    issuer: `${baseUrl}/oidc/${organizationId}`,
    scope: 'openid',
    clientId: application.client_id,
    clientSecret: application.client_secret,
  }
}
