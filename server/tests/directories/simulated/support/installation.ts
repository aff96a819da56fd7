import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { type Fleet, startFleet } from '../../../processes/support/fleet.ts'
import { type Application, makeApplication } from '../../../support/application.ts'
import { baseUrl } from '../../../support/browser.ts'
import type { Connection } from '../../../support/database.ts'
import { type Access, openDirectory } from '../../../support/directories.ts'
import { isLong } from '../../../support/form.ts'
import { type Receiver, startReceiver } from '../../../support/receiver.ts'
import { type Client as Caller, createClient, type Organization } from '../../../support/signet.ts'
import { client as firstClient, otherClient, startOidcProviders } from '../../../support/upstreams.ts'

/** Two processes on one database, with two organizations whose people sign in at two providers. */
export type Installation = { fleet: Fleet; receiver: Receiver; caller: Caller; tenants: Tenant[] }

export type Tenant = {
  organization: Organization
  application: Application
  directories: { entra: TiedAccess; okta: TiedAccess }
}

/** And the credential with whose accounts its people sign in. */
export type TiedAccess = Access & { idp: string; domain: string }

const size = 2
/** The only tenant of the provider. */
export const entraTenant = '11111111-2222-4333-8444-555555555555'
const retry = { SIGNET_RETRY_INITIAL: '300ms', SIGNET_RETRY_MAX: '3s', SIGNET_RETRY_WINDOW: '20m' }

export async function startInstallation(context: TestContext, { url }: Connection): Promise<Installation> {
  const [receiver, oidc] = await Promise.all([startReceiver(), startOidcProviders()])
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  context.onTestFinished(async () => {
    await Promise.all([receiver.stop(), oidc.stop()])
    rmSync(folder, { recursive: true })
  })
  const providers = { provider_g: { issuer: oidc.urls.entra }, provider_h: { issuer: oidc.urls.okta } }
  writeFileSync(join(folder, 'providers.json'), JSON.stringify(providers))
  const env = {
    ...retry,
    SIGNET_BASE_URL: baseUrl,
    SIGNET_PROVIDERS: join(folder, 'providers.json'),
    SIGNET_RATE_SIGN_IN: '100000/100000',
    SIGNET_RATE_TOKEN: '100000/100000',
    // Few enough that clients meet it.
    ...(!isLong && { SIGNET_RATE_SCIM: '1500/50' }),
    SIGNET_LOG_LEVEL: 'error',
  }
  const fleet = await startFleet({ size, databaseUrl: url, receiver, env })
  context.onTestFinished(async () => void (await fleet.stop()))
  context.onTestFailed(() => console.log(fleet.output()))
  const caller = createClient(fleet.balancer.url, fleet.operatorKey)
  // The same names in both: neither must feel the other.
  const tenants = [await makeTenant(caller, receiver), await makeTenant(caller, receiver)]
  return { fleet, receiver, caller, tenants }
}

const entraFields = {
  provider: 'provider_g',
  client_id: firstClient.clientId,
  client_secret: firstClient.clientSecret,
  options: { provider_g: { tenant: entraTenant } },
}
const oktaFields = {
  provider: 'provider_h',
  client_id: otherClient.clientId,
  client_secret: otherClient.clientSecret,
  options: { provider_h: { organization_url: 'https://okta.test' } },
}

/** Its people come by its directories alone. */
async function makeTenant(caller: Caller, receiver: Receiver): Promise<Tenant> {
  const organization = await caller.organization()
  const as = async (method: string, path: string, body: object) => {
    const answer = await caller.as(organization, method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.result
  }
  await as('PATCH', '/organizations/settings', { self_registration: false })
  const open = async (fields: typeof entraFields | typeof oktaFields, domain: string): Promise<TiedAccess> => {
    await as('POST', '/organizations/sso/oidc/provider-credentials', fields)
    const idp = fields.client_id
    const directory = { name: domain, oauth_client_id: idp, match: 'external_id', email_domains: [domain] }
    return { ...(await openDirectory(caller, organization, directory)), idp, domain }
  }
  const entra = await open(entraFields, 'contoso.example')
  const okta = await open(oktaFields, 'acme.example')
  const application = await makeApplication(caller, organization)
  const logout = { backchannel_logout_uri: receiver.url('/logout') }
  await as('PATCH', `/organizations/applications/${application.clientId}`, logout)
  return { organization, application, directories: { entra, okta } }
}
