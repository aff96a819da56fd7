import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeApplication } from '../../../server/tests/support/application.ts'
import { openBrowser } from '../../../server/tests/support/browser.ts'
import type { Service } from '../../../server/tests/support/service.ts'
import type { Organization } from '../../../server/tests/support/signet.ts'
import { client, startOauthProviders } from '../../../server/tests/support/upstreams.ts'

/** Persons who sign in at a provider that tells no time, so that they can do so on the clock of another day. */
export type SignIns = {
  /** For SIGNET_PROVIDERS. */
  providersFile: string
  /** So many succeed, and so many are refused by the provider. */
  happen(succeeded: number, refused: number): Promise<void>
  /** Somebody signs in, of whom the provider tells this. */
  signIn(person: object): Promise<void>
  /** Before the first: the service with those providers, and an organization with the credential `client`. */
  begin(service: Service, organization: Organization): Promise<void>
  stop(): Promise<void>
}

export async function startSignIns(): Promise<SignIns> {
  const providers = await startOauthProviders()
  const folder = mkdtempSync(join(tmpdir(), 'signet-console-'))
  const providersFile = join(folder, 'providers.json')
  const { github } = providers.urls
  const endpoints = {
    authorization_endpoint: `${github}/login/oauth/authorize`,
    token_endpoint: `${github}/login/oauth/access_token`,
    user_endpoint: `${github}/api/user`,
    emails_endpoint: `${github}/api/user/emails`,
  }
  writeFileSync(providersFile, JSON.stringify({ provider_b: endpoints }))
  let signInOnce = async (_person: object) => {}
  let place = 0
  return {
    providersFile,
    begin: async (service, organization) => {
      const application = await makeApplication(service, organization)
      signInOnce = async (person) => {
        const { url } = await application.begin({ idp: client.clientId })
        await openBrowser(() => service.baseUrl).go(url, { person })
      }
    },
    happen: async (succeeded, refused) => {
      for (let count = 0; count < succeeded; count++) await signInOnce(makePerson(place++))
      for (let count = 0; count < refused; count++) await signInOnce({ refuse: { error: 'access_denied' } })
    },
    signIn: (person) => signInOnce(person),
    stop: async () => {
      await providers.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const developer = 'developer-7@northwind.example'

/** There are a dozen of them, who come again and again. The first is `developer`. */
export function makePerson(place: number) {
  const id = 7 + (place % 12)
  return {
    user: { id, login: `developer-${id}` },
    emails: [{ email: `developer-${id}@northwind.example`, primary: true, verified: true }],
  }
}
