import { cpSync } from 'node:fs'
import { basename, join } from 'node:path'
import { freePort } from '../../../../scripts/free-port.ts'
import { run, temporaryFolder } from '../../support/program.ts'
import type { SignInSite } from '../../support/sign-in-site.ts'
import type { Answer, Organization } from '../../support/signet.ts'

/** A client library as its authors publish it, within a small application that uses it as they show. */
export type Client = {
  name: string
  /** What starts the application. */
  command: string[]
  /** For it, besides what every application is given. */
  environment?: Record<string, string>
  /** A folder of which it is given a copy that everybody may read, in `FOLDER`. */
  files?: string
  /** What it says once it listens; `Listening: ` by default. */
  listening?: RegExp
  /** What is registered otherwise than for a confidential application with PKCE. */
  fields?: { confidential?: boolean; require_pkce?: boolean; groups_claim?: boolean }
  /** Where the library has sign-ins end, if it does not ask. */
  callback?: string
  /** The button of a page of its own, with which it begins. */
  button?: string
  /** What of user info it has no place for in the user that it makes of it. */
  withholds?: ('name' | 'email_verified')[]
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
  const port = await freePort()
  const url = `http://localhost:${port}`
  const issuer = site.issuerOf(organization)
  const { client_id, client_secret = '' } = await register(client, url, (fields) =>
    site.node.as(organization, 'POST', '/organizations/applications', fields),
  )
  const ends = { onTestFinished: (clean: () => void) => life.defer(clean) }
  const folder = temporaryFolder(ends)
  cpSync(site.caFile, join(folder, 'ca.pem'))
  if (client.files) cpSync(client.files, join(folder, basename(client.files)), { recursive: true })
  const program = run(ends, client.command, {
    APPLICATION_URL: url,
    PORT: `${port}`,
    ISSUER: issuer,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    FOLDER: folder,
    HOME: folder,
    ...trusting(join(folder, 'ca.pem')),
    ...client.environment,
  })
  await program.says(client.listening ?? /^Listening: /m)
  return { url, issuer, organization }
}

async function register(
  { name, callback = '/callback', fields }: Client,
  url: string,
  ask: (body: object) => Promise<Answer>,
) {
  const { body } = await ask({
    name,
    redirect_uris: [url + callback],
    post_logout_redirect_uris: [url, `${url}/`],
    confidential: true,
    ...fields,
  })
  return body.result
}

/** How Node, OpenSSL with Go and Ruby, and Python are told of another authority. */
const trusting = (caFile: string) => ({
  NODE_EXTRA_CA_CERTS: caFile,
  SSL_CERT_FILE: caFile,
  REQUESTS_CA_BUNDLE: caFile,
})
