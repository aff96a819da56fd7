import { freePort } from '../../../../scripts/free-port.ts'
import { run } from '../../support/program.ts'
import type { SignInSite } from '../../support/sign-in-site.ts'
import type { Organization } from '../../support/signet.ts'

/** A client library as its authors publish it, within a small application that uses it as they show. */
export type Client = {
  name: string
  /** What starts the application, which says `Listening: ` once it listens. */
  command: string[]
  /** What is registered otherwise than for a confidential application with PKCE. */
  fields?: { confidential?: boolean; require_pkce?: boolean }
  /** Where the library has sign-ins end, if it does not ask. */
  callback?: string
  /** The button of a page of its own, with which it begins. */
  button?: string
  /** What it has besides signing in. */
  steps: Step[]
}

export type Step = 'refresh' | 'user-info' | 'revoke' | 'sign-out'

/** Where there are two, a page asks: so it is seen whether somebody has a session. */
export const firstWay = 'Google'
const ways = [firstWay, 'Okta']

export type Started = { url: string; issuer: string; organization: Organization }

/** With an organization of its own. */
export async function startClient(client: Client, site: SignInSite, life: AsyncDisposableStack): Promise<Started> {
  const organization = await site.organization(ways)
  const url = `http://localhost:${await freePort()}`
  const issuer = site.issuerOf(organization)
  const { body } = await site.node.as(organization, 'POST', '/organizations/applications', {
    name: client.name,
    redirect_uris: [url + (client.callback ?? '/callback')],
    post_logout_redirect_uris: [url, `${url}/`],
    confidential: true,
    ...client.fields,
  })
  const { client_id, client_secret = '' } = body.result
  const program = run({ onTestFinished: (clean) => life.defer(clean) }, client.command, {
    ...{ APPLICATION_URL: url, ISSUER: issuer, CLIENT_ID: client_id, CLIENT_SECRET: client_secret },
    NODE_EXTRA_CA_CERTS: site.caFile,
  })
  await program.says(/^Listening: /m)
  return { url, issuer, organization }
}
