import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  fetchUserInfo,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  skipSubjectCheck,
  type UserInfoResponse,
} from 'openid-client'
import { application, type Browser, baseUrl, fetchAt, type Going, type Page } from './browser.ts'
import type { Client, Organization } from './signet.ts'

/** A web application of an organization, by a library that nobody has changed. */
export type Application = {
  organization: Organization
  clientId: string
  /** What it sends a browser to sign in with. */
  begin(params?: Record<string, string>): Promise<Begun>
  /** What it makes of the address that the browser came back to; throws what the library throws. */
  finish(begun: Begun, url: string): Promise<IDToken>
  /** The same, with the ID token as it came. */
  exchange(begun: Begun, url: string): Promise<Tokens>
  refresh(refreshToken: string): Promise<Tokens>
  userInfo(accessToken: string): Promise<UserInfoResponse>
  /** All the way: begin, where the browser is led, finish. */
  signIn(browser: Browser, going?: Going & { params?: Record<string, string> }): Promise<IDToken>
}

type Tokens = Awaited<ReturnType<typeof authorizationCodeGrant>>
export type Begun = { url: string; expectedState: string; expectedNonce: string; pkceCodeVerifier: string }

const redirectUri = `${application}callback`

/** `at` is the node that the application's own calls meet. */
export async function makeApplication(
  client: Client,
  organization: Organization,
  at = () => client.baseUrl,
): Promise<Application> {
  const fields = { name: 'An application', redirect_uris: [redirectUri], confidential: true }
  const { body } = await client.as(organization, 'POST', '/organizations/applications', fields)
  const { client_id: clientId, client_secret: secret } = body.result
  const issuer = new URL(`${baseUrl}/oidc/${organization.id}`)
  const authentication = ClientSecretBasic(secret)
  const config = await discovery(issuer, clientId, {}, authentication, { [customFetch]: fetchAt(at) as never })
  const begin: Application['begin'] = async (params = {}) => {
    const checks = {
      expectedState: randomState(),
      expectedNonce: randomNonce(),
      pkceCodeVerifier: randomPKCECodeVerifier(),
    }
    const { href: url } = buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...params,
    })
    return { url, ...checks }
  }
  const exchange: Application['exchange'] = ({ url: _, ...checks }, url) =>
    authorizationCodeGrant(config, new URL(url), { ...checks, idTokenExpected: true })
  const finish: Application['finish'] = async (begun, url) => (await exchange(begun, url)).claims() as IDToken
  return {
    organization,
    clientId,
    begin,
    finish,
    exchange,
    refresh: (refreshToken) => refreshTokenGrant(config, refreshToken),
    userInfo: (accessToken) => fetchUserInfo(config, accessToken, skipSubjectCheck),
    signIn: async (browser, { params, ...going } = {}) => {
      const begun = await begin(params)
      const { url, status, html } = await browser.go(begun.url, going)
      if (!url.startsWith(application)) throw new Error(`${url} answered ${status} ${html}`)
      return finish(begun, url)
    },
  }
}

/** The OAuth error that the browser was sent back to the application with; undefined when there is none. */
export const errorIn = ({ url }: Page): string | undefined => new URL(url).searchParams.get('error') ?? undefined
