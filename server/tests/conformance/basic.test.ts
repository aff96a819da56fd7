import { expect } from 'vitest'
import { application } from '../support/browser.ts'
import {
  afterSeconds,
  answerIn,
  askForScope,
  askForTokens,
  call,
  client,
  continueSession,
  errorIn,
  exchange,
  givePhone,
  go,
  issuer,
  jsonOf,
  metadata,
  mirrors,
  otherClient,
  type Parameters,
  redirectUri,
  requestOf,
  type SignedIn,
  signIn,
  userInfo,
  useSuite,
} from './support/suite.ts'

useSuite()

/** A sign-in that the parameters neither stop nor change. */
const signsInWith = (parameters: Parameters) => async () => {
  await signIn(parameters)
  return 'passed' as const
}

/** The suite compares `auth_time` where both tokens have it. */
const hasTimes = ({ claims: second }: SignedIn, { claims: first }: SignedIn) =>
  second.auth_time !== undefined && first.auth_time !== undefined

const expectSame = (second: SignedIn, first: SignedIn) => {
  expect(second.claims.sub).toBe(first.claims.sub)
  if (hasTimes(second, first)) expect(second.claims.auth_time).toBe(first.claims.auth_time)
}

const expectLater = (second: SignedIn, first: SignedIn) => {
  expect(second.claims.sub).toBe(first.claims.sub)
  expect(Number(second.claims.iat)).toBeGreaterThan(Number(first.claims.iat))
  if (hasTimes(second, first)) expect(Number(second.claims.auth_time)).toBeGreaterThan(Number(first.claims.auth_time))
}

/** The times in tokens are those of the machine, whatever clock the service has. */
const untilSecondsAfter = ({ claims }: SignedIn, seconds: number) =>
  expect.poll(() => Date.now() / 1_000, { timeout: 10_000 }).toBeGreaterThan(Number(claims.iat) + 1 + seconds)

/** A token of the algorithm `none` with the request in it, which stands beside it in the query where OAuth needs it. */
function requestObjectOf(asked: Record<string, string>): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part({ ...asked, iss: client.client_id, aud: issuer })}.`
}

mirrors('oidcc-server', signsInWith({}))

mirrors('oidcc-response-type-missing', async () => {
  const { url, asked } = requestOf({ response_type: undefined })
  const page = await go(url)
  if (page.url.startsWith(redirectUri))
    expect(['invalid_request', 'unsupported_response_type']).toContain(errorIn(page, asked))
  else expect(page.status).toBe(400)
  return 'passed'
})

mirrors('oidcc-idtoken-signature', async () => {
  const { header } = await signIn()
  expect(header).toMatchObject({ alg: 'RS256', kid: expect.any(String) })
  const { keys } = await jsonOf(call(metadata.jwks_uri, {}))
  expect(keys.map(({ kid }: { kid: string }) => kid)).toContain(header.kid)
  return 'passed'
})

mirrors('oidcc-idtoken-unsigned', async () => {
  expect(metadata.id_token_signing_alg_values_supported).not.toContain('none')
  return 'skipped'
})

const readsUserInfo = (how: 'get' | 'post' | 'form') => async () => {
  const { access_token, claims } = await signIn()
  expect((await userInfo(access_token, how)).sub).toBe(claims.sub)
  return 'passed' as const
}

mirrors('oidcc-userinfo-get', readsUserInfo('get'))

mirrors('oidcc-userinfo-post-header', readsUserInfo('post'))

mirrors('oidcc-userinfo-post-body', readsUserInfo('form'))

mirrors('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', signsInWith({ nonce: undefined }))

mirrors('oidcc-scope-profile', () => askForScope('openid profile'))

mirrors('oidcc-scope-email', async () => {
  const { claims } = await signIn({ scope: 'openid email' })
  expect(claims).not.toHaveProperty('name')
  expect(await askForScope('openid email')).toBe('passed')
  return 'email' in claims ? 'warning' : 'passed'
})

mirrors('oidcc-scope-address', () => askForScope('openid address'))

mirrors('oidcc-scope-phone', async () => {
  await givePhone((await signIn()).claims.sub ?? '')
  return askForScope('openid phone')
})

mirrors('oidcc-scope-all', () => askForScope('openid email phone address profile'))

mirrors('oidcc-alternate-happy-flow', async () => {
  const { url, asked } = requestOf({ scope: 'email openid' })
  const [address = '', query = ''] = url.split('?')
  const page = await go(`${address}?${query.split('&').reverse().join('&')}`)
  const { access_token, claims } = await exchange(answerIn(page, asked).get('code') ?? '', asked.nonce)
  expect(await userInfo(access_token)).toMatchObject({ email: expect.any(String), email_verified: expect.any(Boolean) })
  return 'email' in claims ? 'warning' : 'passed'
})

mirrors('oidcc-display-page', signsInWith({ display: 'page' }))

mirrors('oidcc-display-popup', signsInWith({ display: 'popup' }))

mirrors('oidcc-prompt-login', async () => {
  const first = await signIn()
  await untilSecondsAfter(first, 1)
  expectLater(await signIn({ prompt: 'login' }), first)
  return 'passed'
})

mirrors('oidcc-prompt-none-not-logged-in', async () => {
  const { url, asked } = requestOf({ prompt: 'none', state: 's'.repeat(128) })
  expect(errorIn(await go(url), asked)).toBe('login_required')
  return 'passed'
})

mirrors('oidcc-prompt-none-logged-in', async () => {
  const first = await signIn()
  expectSame(await continueSession({ prompt: 'none' }), first)
  return 'passed'
})

mirrors('oidcc-max-age-1', async () => {
  const first = await signIn({ max_age: '15000' })
  await untilSecondsAfter(first, 2)
  expectLater(await signIn({ max_age: '1' }), first)
  return 'passed'
})

mirrors('oidcc-max-age-10000', async () => {
  const first = await signIn({ max_age: '15000' })
  expect(first.claims.auth_time).toEqual(expect.any(Number))
  expectSame(await continueSession({ max_age: '10000' }), first)
  return 'passed'
})

mirrors('oidcc-ensure-request-with-unknown-parameter-succeeds', signsInWith({ extra: 'foobar' }))

mirrors('oidcc-id-token-hint', async () => {
  const first = await signIn()
  expectSame(await continueSession({ prompt: 'none', id_token_hint: first.id_token }), first)
  return 'passed'
})

mirrors('oidcc-login-hint', signsInWith({ login_hint: 'buffy@suite.example' }))

mirrors('oidcc-ui-locales', signsInWith({ ui_locales: 'se' }))

mirrors('oidcc-claims-locales', signsInWith({ claims_locales: 'se' }))

mirrors('oidcc-ensure-request-with-acr-values-succeeds', async () => {
  const { claims } = await signIn({ acr_values: '1 2' })
  return ['1', '2'].includes(String(claims.acr)) ? 'passed' : 'warning'
})

const expectNoReuse = async ({ code }: SignedIn) => {
  const again = await askForTokens({ grant_type: 'authorization_code', code, redirect_uri: redirectUri })
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
}

mirrors('oidcc-codereuse', async () => {
  await expectNoReuse(await signIn())
  return 'passed'
})

mirrors('oidcc-codereuse-30seconds', async () => {
  const signedIn = await signIn()
  afterSeconds(30)
  await expectNoReuse(signedIn)
  const headers = { authorization: `Bearer ${signedIn.access_token}` }
  const { status } = await call(metadata.userinfo_endpoint, { headers })
  return status >= 400 && status < 500 ? 'passed' : 'warning'
})

mirrors('oidcc-ensure-registered-redirect-uri', async () => {
  const page = await go(requestOf({ redirect_uri: `${redirectUri}/k3j4h5` }).url)
  expect(page.status).toBe(400)
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  return 'passed'
})

mirrors('oidcc-ensure-post-request-succeeds', async () => {
  await signIn({}, { isPosted: true })
  return 'passed'
})

mirrors('oidcc-server-client-secret-post', async () => {
  expect(metadata.token_endpoint_auth_methods_supported).toContain('client_secret_post')
  await signIn({}, { asPost: true })
  return 'passed'
})

mirrors('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', async () => {
  const { url } = requestOf({ request_uri: `${application}request.jwt`, state: undefined, nonce: undefined })
  const { searchParams } = new URL((await go(url)).url)
  expect(searchParams.get('error_description')).toEqual(expect.any(String))
  return searchParams.get('error') === 'request_uri_not_supported' ? 'skipped' : 'passed'
})

mirrors('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
  const { asked } = requestOf()
  const { url } = requestOf({ request: requestObjectOf(asked), state: undefined, nonce: undefined })
  const { searchParams } = new URL((await go(url)).url)
  expect(searchParams.get('error_description')).toEqual(expect.any(String))
  return searchParams.get('error') === 'request_not_supported' ? 'skipped' : 'passed'
})

mirrors('oidcc-claims-essential', async () => {
  const { access_token, claims } = await signIn({ claims: JSON.stringify({ userinfo: { name: { essential: true } } }) })
  expect(claims).not.toHaveProperty('name')
  return 'name' in (await userInfo(access_token)) ? 'passed' : 'warning'
})

mirrors('oidcc-ensure-request-object-with-redirect-uri', async () => {
  const { asked } = requestOf()
  const wrong = { redirect_uri: `${redirectUri}/invalid`, request: requestObjectOf(asked) }
  const page = await go(requestOf(wrong).url)
  expect(page.url.startsWith(application)).toBe(false)
  expect(page.status).toBe(400)
  return 'passed'
})

mirrors('oidcc-refresh-token', async () => {
  expect(metadata.scopes_supported).toContain('offline_access')
  expect(metadata.grant_types_supported).toContain('refresh_token')
  const scope = 'openid offline_access'
  const first = await signIn({ scope, prompt: 'consent' })
  const second = await signIn({ scope, prompt: 'consent' }, { of: otherClient })
  const refresh = (token = '', more: Record<string, string> = {}, of = client) =>
    askForTokens({ grant_type: 'refresh_token', refresh_token: token, ...more }, of)
  const { status, body } = await refresh(first.refresh_token, { scope })
  expect(status).toBe(200)
  expect(body).toMatchObject({ token_type: 'Bearer', access_token: expect.stringMatching(/^[\x20-\x7e]{22,}$/) })
  expect(body.access_token).not.toBe(first.access_token)
  const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())
  const { iss, sub, aud } = first.claims
  expect(claims).toMatchObject({ iss, sub, aud })
  expect((await userInfo(body.access_token)).sub).toBe(sub)
  expect(await refresh(second.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await refresh(second.refresh_token, {}, otherClient)).status).toBe(200)
  return 'passed'
})

mirrors('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
  const verifier = 'a-verifier-of-the-suite-0123456789-0123456789-x'
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const challenge = { code_challenge: Buffer.from(digest).toString('base64url'), code_challenge_method: 'S256' }
  await signIn(challenge, { more: { code_verifier: verifier } })
  return 'passed'
})
