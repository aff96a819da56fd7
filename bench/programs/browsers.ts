// A part of the benchmarks of sign-in, in a process of its own: an application and its persons' browsers, which go all the
// way from the application to the provider and back, with cookies of their own each time.
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { baseUrl, fetchAt, openBrowser } from '../../server/tests/support/browser.ts'
import { monotonicMs } from '../support/monotonic.ts'
import { atOnce, type Place, persons, redirectUri } from '../support/sign-in.ts'

export type BrowserOrder = { place: Place; signIns: number; callers?: number }
/** Milliseconds from the first request of each to the verified ID token. */
export type SignedIn = { took: number[]; seconds: number }

/** What ends https in front of a server tells it so. */
const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': new URL(baseUrl).host }
const configurations = new Map<string, Configuration>()

/** A library that nobody has changed, told to verify the signature of the ID token as well. */
async function openApplication({ port, issuer, clientId, clientSecret }: Place): Promise<Configuration> {
  const known = configurations.get(clientId)
  if (known) return known
  const fetch = fetchAt(() => `http://localhost:${port}`)
  const call = (url: string, { headers, ...options }: RequestInit) =>
    fetch(url, { ...options, headers: { ...(headers as object), ...forwarded } })
  const options = { [customFetch]: call as never, execute: [enableNonRepudiationChecks] }
  const authentication = ClientSecretBasic(clientSecret)
  const configuration = await discovery(new URL(issuer), clientId, {}, authentication, options)
  configurations.set(clientId, configuration)
  return configuration
}

/** Throws unless it ends with an ID token that is as it should be. */
async function signIn(application: Configuration, { port, scope }: Place, number: number) {
  const [expectedState, expectedNonce, pkceCodeVerifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
  const { href } = buildAuthorizationUrl(application, {
    redirect_uri: redirectUri,
    scope,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const browser = openBrowser(() => `http://localhost:${port}`, undefined, forwarded)
  const sub = `person-${number % persons}`
  const person = { sub, email: `${sub}@gmail.com`, email_verified: true, name: sub }
  const end = await browser.go(href, { person })
  if (!end.url.startsWith(redirectUri)) throw new Error(`${end.url} answered ${end.status} ${end.html}`)
  const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true }
  const tokens = await authorizationCodeGrant(application, new URL(end.url), checks)
  if (!tokens.claims()?.sub) throw new Error('nobody signed in')
}

async function signInAll({ place, signIns, callers = atOnce }: BrowserOrder): Promise<SignedIn> {
  const application = await openApplication(place)
  const took: number[] = []
  const beganAt = monotonicMs()
  let next = 0
  const work = async () => {
    while (next < signIns) {
      const began = monotonicMs()
      await signIn(application, place, next++)
      took.push(monotonicMs() - began)
    }
  }
  await Promise.all(Array.from({ length: callers }, work))
  return { took, seconds: (monotonicMs() - beganAt) / 1_000 }
}

process.on('disconnect', () => process.exit())
process.on('message', async (order: BrowserOrder) => process.send?.(await signInAll(order)))
