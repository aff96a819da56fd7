import { authorizationCodeGrant } from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { application } from '../support/browser.ts'
import { redirectUri, type Tokens } from '../support/issuer.ts'
import {
  app,
  closeIssuer,
  countFulfilled,
  invalidGrant,
  issuers,
  offline,
  openIssuer,
  organization,
  refresh,
  secondMs,
  signIn,
  unauthorized,
  userInfo,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('A code', () => {
  test('A code needs its own verifier, and a wrong one does not use it up', async () => {
    const { request, end } = await signIn()
    const wrong = (await issuers.request(app)).verifier
    await expect(issuers.exchange(app, { ...request, verifier: wrong }, end)).rejects.toEqual(invalidGrant)
    expect(await issuers.exchange(app, request, end)).toHaveProperty('id_token')
  })

  test('A code is good for one application only', async () => {
    const { request, end } = await signIn()
    const other = await issuers.app(organization)
    await expect(issuers.exchange(other, request, end)).rejects.toEqual(invalidGrant)
  })

  test('A code that is used a second time ends what the first use gave', async () => {
    const { request, end } = await signIn()
    const tokens = await issuers.exchange(app, request, end)
    await expect(issuers.exchange(app, request, end)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
  })

  test('A code that is used eight times at once gives tokens at most once, and none that live on', async () => {
    const { request, end } = await signIn(offline)
    const tokens: Tokens[] = []
    const exchange = async () => void tokens.push(await issuers.exchange(app, request, end))
    expect(await countFulfilled(Array.from({ length: 8 }, exchange), invalidGrant)).toBe(1)
    await expect(refresh(tokens[0] as Tokens)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens[0] as Tokens)).rejects.toEqual(unauthorized)
  })

  test('A code is good for sixty seconds', async () => {
    const [early, late] = [await signIn(), await signIn()]
    issuers.clock.advance(50 * secondMs)
    expect(await issuers.exchange(app, early.request, early.end)).toHaveProperty('id_token')
    issuers.clock.advance(11 * secondMs)
    await expect(issuers.exchange(app, late.request, late.end)).rejects.toEqual(invalidGrant)
  })

  test('A code needs the redirect URI that it was sent to', async () => {
    const of = await issuers.app(organization, { redirect_uris: [redirectUri, `${application}other`] })
    const { request, end } = await signIn({ of })
    const elsewhere = new URL(`${application}other${end.search}`)
    await expect(
      authorizationCodeGrant(of.config, elsewhere, {
        pkceCodeVerifier: request.verifier,
        expectedState: request.state,
        expectedNonce: request.nonce,
      }),
    ).rejects.toEqual(invalidGrant)
  })
})
