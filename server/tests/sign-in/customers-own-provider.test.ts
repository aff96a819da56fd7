import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  closeHostile,
  count,
  credentialOf,
  failsWith,
  hostile,
  newState,
  open,
  openAt,
  openHostile,
  signIn,
} from '../support/hostile-provider.ts'
import { callbackUrl } from '../support/upstreams.ts'

beforeAll(openHostile)
afterAll(closeHostile)

const provider = 'oidc'
const begin = (namedIssuer: string, providers = open({})) =>
  providers.beginUpstream({ credential: credentialOf(provider, { namedIssuer }), callbackUrl, state: newState() })

describe("A customer's own provider", () => {
  test('Its identity has the issuer and the subject, its profile, and an address that nobody vouches for', async () => {
    expect(await signIn('honest', { provider })).toEqual({
      issuer: `${hostile.urls.base}/honest`,
      subject: 'person',
      email: 'ada@example.com',
      emailVerified: false,
      profile: {},
    })
  })

  test('Its addresses count where the operator says so, if it says so itself', async () => {
    const issuer = `${hostile.urls.base}/userinfo-confirms`
    const trusting = open({ oidc: { issuer, trust_email: true } })
    expect(await signIn('userinfo-confirms', { provider, providers: trusting })).toMatchObject({ emailVerified: true })
    const honest = open({ oidc: { issuer: `${hostile.urls.base}/honest`, trust_email: true } })
    expect(await signIn('honest', { provider, providers: honest })).toMatchObject({ emailVerified: false })
    expect(await signIn('userinfo-confirms', { provider })).toMatchObject({ emailVerified: false })
  })

  test('Without a user info endpoint the ID token says who it is', async () => {
    const { email, profile } = await signIn('no-userinfo', { provider })
    expect({ email, profile }).toEqual({ email: 'token@example.com', profile: { name: 'Of the token' } })
    expect(await count('/no-userinfo/userinfo')).toBe(0)
  })

  test.each(['other-userinfo', 'userinfo-of-number'])('Its user info must be of the same person: %s', async (lie) => {
    await expect(signIn(lie, { provider })).rejects.toMatchObject(failsWith('oidc_token_invalid', /another person/))
  })

  test.each(['keys-elsewhere', 'authorization-elsewhere', 'userinfo-elsewhere'])(
    'All its endpoints are on its own host: %s',
    async (lie) => {
      await expect(signIn(lie, { provider })).rejects.toMatchObject(
        failsWith('oidc_provider_error', /^discovery: an endpoint is on another host$/),
      )
    },
  )

  test.each([
    ['honest', 'basic'],
    ['post-only', 'post'],
  ])('The client authenticates as the document allows: %s by %s', async (lie, method) => {
    await signIn(lie, { provider })
    const asked = (await (await fetch(`${hostile.urls.base}/authenticated/${lie}`)).json()) as string
    expect(asked).toBe(method)
  })

  test('An issuer with a closing slash has its document below the slash, and is compared with it', async () => {
    const issuer = `${hostile.urls.base}/with-slash/`
    const providers = open({ oidc: { issuer } })
    expect(await signIn('with-slash', { provider, providers })).toMatchObject({ issuer })
    const without = openAt(provider, 'with-slash')
    await expect(signIn('with-slash', { provider, providers: without })).rejects.toMatchObject(
      failsWith('oidc_provider_error', /names another issuer/),
    )
  })

  test.each(['https://private.test/realms/staff', 'https://rebinding.test/', 'https://127.0.0.1/realms/staff'])(
    'No request goes to a private address: %s',
    async (issuer) => {
      await expect(begin(issuer)).rejects.toMatchObject(
        failsWith('provider_unreachable', /^discovery: forbidden_address$/),
      )
    },
  )

  test('What cannot be reached, or names another issuer, is mended in its issuer', async () => {
    const providers = open({})
    const credential = credentialOf(provider, { namedIssuer: 'https://private.test' })
    const failure = await begin('https://private.test', providers).catch((error) => error)
    expect(providers.diagnose(failure, credential)).toMatchObject({ step: 'discovery', field: 'options.oidc.issuer' })
  })
})
