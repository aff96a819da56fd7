import { createRemoteJWKSet, customFetch as joseFetch, jwtVerify } from 'jose'
import { authorizationCodeGrant, refreshTokenGrant } from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fetchAt } from '../support/browser.ts'
import { type App, signedIn, type Tokens } from '../support/issuer.ts'
import {
  app,
  closeIssuer,
  invalidGrant,
  issuerOf,
  issuers,
  openIssuer,
  organization,
  person,
  refresh,
  secondMs,
  send,
  signIn,
  tokensOf,
  userInfo,
} from '../support/own-issuer.ts'

const orders = 'https://orders.example.com'
const stock = 'urn:example:stock'
const invalidTarget = expect.objectContaining({ error: 'invalid_target' })

beforeAll(async () => {
  await openIssuer()
  await makeResource(orders, { scopes: ['orders:read', 'orders:write'] })
  await makeResource(stock, { token_lifetime: '1h' })
})
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

async function makeResource(identifier: string, fields: object = {}): Promise<string> {
  const { status, body } = await issuers.as(organization, 'POST', '/organizations/resources', {
    identifier,
    name: 'API',
    ...fields,
  })
  expect(status).toBe(201)
  return body.result.id
}

/** As an API verifies it, by a library that knows nothing of Signet. */
function verify(token: string, audience: string) {
  const keys = createRemoteJWKSet(new URL(`${issuerOf(organization)}/jwks`), {
    [joseFetch]: fetchAt(() => issuers.address) as never,
  })
  return jwtVerify(token, keys, { issuer: issuerOf(organization), audience, typ: 'at+jwt', algorithms: ['RS256'] })
}

const asking = (resource: string, scope = 'openid offline_access orders:read orders:other') => ({
  parameters: { resource, scope },
})
const refreshFor = ({ refresh_token = '' }: Tokens, resource: string, of: App = app) =>
  refreshTokenGrant(of.config, refresh_token, { resource })

describe('Access tokens for a resource', () => {
  test('A token for a resource is a JWT of RFC 9068, which says what tokens of Signet say', async () => {
    const tokens = await tokensOf({ ...asking(orders), claims: { tier: { seats: 1 }, authorization_details: ['x'] } })
    const { payload, protectedHeader } = await verify(tokens.access_token, orders)
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: issuerOf(organization),
      aud: orders,
      sub: person,
      client_id: app.clientId,
      scope: 'orders:read',
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: Number(payload.iat) + 600,
      auth_time: expect.any(Number),
      org_id: organization.id,
      groups: ['crew', 'staff'],
      tier: { seats: 1 },
    })
    expect(tokens).toMatchObject({ expires_in: 600, scope: 'orders:read', token_type: 'bearer' })
    expect(tokens.claims()).toMatchObject({ aud: app.clientId, sub: person })
  })

  test('A token for a resource lives as long as that says, is RS256 for an application with ES256, and leaves out groups', async () => {
    const of = await issuers.app(organization, { id_token_signed_response_alg: 'ES256', groups_claim: false })
    const { access_token } = await tokensOf({ of, ...asking(stock, 'openid orders:read') })
    const { payload } = await verify(access_token, stock)
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3_600)
    expect(payload).not.toHaveProperty('groups')
    expect(payload).not.toHaveProperty('scope')
  })

  test('A token for a resource takes 8 KiB of hook claims, none of them in place of its own', async () => {
    const claims = {
      long: 'x'.repeat(8_000),
      aud: 'x',
      client_id: 'x',
      scope: 'x',
      jti: 'x',
      exp: 1,
      org_id: 'x',
      cnf: {},
    }
    const { access_token } = await tokensOf({ ...asking(orders), claims })
    const { payload } = await verify(access_token, orders)
    expect(payload).toMatchObject({ client_id: app.clientId, scope: 'orders:read', org_id: organization.id })
    expect(payload.long).toBe(claims.long)
    expect(payload).not.toHaveProperty('cnf')
  })

  test('A code is used once, also where no other token is made for it', async () => {
    const { request, end } = await signIn(asking(stock, 'openid'))
    await verify((await issuers.exchange(app, request, end)).access_token, stock)
    await expect(issuers.exchange(app, request, end)).rejects.toEqual(invalidGrant)
  })

  test('Without a resource the access token is opaque, and for user info, which takes no JWT', async () => {
    expect((await tokensOf()).access_token).not.toContain('.')
    const jwt = await tokensOf(asking(orders))
    const answer = await send('/userinfo', { headers: { authorization: `Bearer ${jwt.access_token}` } })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('A token for one resource is none for another', async () => {
    const { access_token } = await tokensOf(asking(orders))
    await expect(verify(access_token, stock)).rejects.toThrow('unexpected "aud" claim value')
  })

  test('A token for a resource is no ID token: no hint, and no bearer of page events', async () => {
    const { access_token } = await tokensOf(asking(orders))
    const hinted = await issuers
      .browser()
      .go(`${issuerOf(organization)}/logout?${new URLSearchParams({ id_token_hint: access_token })}`)
    expect(hinted.html).toContain('id_token_hint')
    const event = await fetch(`${issuers.address}/sdk/events`, {
      method: 'POST',
      headers: {
        'service-orgid': organization.id,
        authorization: `Bearer ${access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ event_name: 'VirtualPageLoaded_v1', window_location: 'https://example.com/' }),
    })
    expect(event.status).toBe(401)
  })
})

describe('The parameter resource', () => {
  test.each(['https://other.example.com', `${orders}/`, 'orders', `${orders}#a`, 'urn:a\u0000'])(
    'An authorize request for %j, which no resource is, goes back with invalid_target',
    async (resource) => {
      const { url } = await issuers.request(app, { resource })
      const { url: end } = await issuers.browser().go(url.href, { stopAt: /^http:\/\/127/ })
      expect(new URL(end).searchParams.get('error')).toBe('invalid_target')
    },
  )

  test('A resource of another organization is unknown', async () => {
    const other = await issuers.organization()
    const of = await issuers.app(other)
    const { url } = await issuers.request(of, { resource: orders })
    const { url: end } = await issuers.browser().go(url.href, { stopAt: /^http:\/\/127/ })
    expect(new URL(end).searchParams.get('error')).toBe('invalid_target')
  })

  test('A sign-in for two resources gives tokens for one at a time', async () => {
    const request = await issuers.request(app, { scope: 'openid offline_access orders:write' })
    for (const each of [orders, stock]) request.url.searchParams.append('resource', each)
    const end = await issuers.signIn(issuers.browser(), app, request, signedIn(person, issuers.clock.now()))
    const exchange = (resources: string[]) => {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: app.clientId,
        code: end.searchParams.get('code') ?? '',
        redirect_uri: String(request.url.searchParams.get('redirect_uri')),
        code_verifier: request.verifier,
      })
      for (const each of resources) body.append('resource', each)
      return send('/token', { method: 'POST', body })
    }
    for (const refused of [[orders, stock], [], ['urn:other']])
      expect(await (await exchange(refused)).json()).toMatchObject({ error: 'invalid_target' })
    const tokens = (await (await exchange([orders])).json()) as Tokens
    expect((await verify(tokens.access_token, orders)).payload).toMatchObject({ scope: 'orders:write' })
    const next = await refreshFor(tokens, stock)
    expect((await verify(next.access_token, stock)).payload).not.toHaveProperty('scope')
  })

  test('A refresh keeps the resource, also where it does not name it, and takes no other', async () => {
    const tokens = await tokensOf(asking(orders))
    const named = await refreshFor(tokens, orders)
    expect((await verify(named.access_token, orders)).payload).toMatchObject({ scope: 'orders:read' })
    const unnamed = await refresh(named)
    expect((await verify(unnamed.access_token, orders)).payload).toMatchObject({ auth_time: expect.any(Number) })
    await expect(refreshFor(unnamed, stock)).rejects.toEqual(invalidTarget)
    expect((await refreshFor(unnamed, orders)).access_token).toContain('.')
  })

  test('A refresh that is refused leaves its token unused', async () => {
    const of = await issuers.app(organization, { refresh_token_grace: '0s' })
    const tokens = await tokensOf({ of, ...asking(orders) })
    await expect(refreshFor(tokens, stock, of)).rejects.toEqual(invalidTarget)
    expect(await refreshFor(tokens, orders, of)).toHaveProperty('refresh_token')
  })

  test('A refresh may ask for fewer scopes, and gets none that the resource no longer lists', async () => {
    const id = await makeResource('urn:example:shrinking', { scopes: ['a', 'b'] })
    const tokens = await tokensOf(asking('urn:example:shrinking', 'openid offline_access a b'))
    const fewer = await refreshTokenGrant(app.config, tokens.refresh_token ?? '', { scope: 'openid b c' })
    expect(fewer.scope).toBe('b')
    await issuers.as(organization, 'PATCH', `/organizations/resources/${id}`, { scopes: ['a'] })
    expect((await refresh(fewer)).scope).toBe('a')
  })

  test('What hangs on a resource ends with it, and a new one of the same identifier begins anew', async () => {
    const id = await makeResource('urn:example:gone')
    const tokens = await tokensOf(asking('urn:example:gone'))
    const { request, end } = await signIn(asking('urn:example:gone'))
    expect((await issuers.as(organization, 'DELETE', `/organizations/resources/${id}`)).status).toBe(204)
    await expect(refreshFor(tokens, 'urn:example:gone')).rejects.toEqual(invalidTarget)
    await expect(refresh(tokens)).rejects.toEqual(invalidTarget)
    await expect(issuers.exchange(app, request, end)).rejects.toEqual(invalidTarget)
    issuers.clock.advance(2 * secondMs)
    await makeResource('urn:example:gone')
    await expect(refresh(tokens)).rejects.toEqual(invalidTarget)
    expect((await tokensOf(asking('urn:example:gone'))).access_token).toContain('.')
  })

  test('A person who is deactivated gets no further token for a resource', async () => {
    const as = await issuers.person(organization)
    const tokens = await tokensOf({ as, ...asking(orders) })
    await issuers.as(organization, 'PATCH', `/persons/${as}`, { active: false })
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
  })
})

describe('An application without PKCE', () => {
  test.each([true, false])('It needs a nonce by default: %s', async (require_nonce) => {
    const of = await issuers.app(organization, { confidential: true, require_pkce: false, require_nonce })
    const { url, state } = await issuers.request(of)
    for (const name of ['nonce', 'code_challenge', 'code_challenge_method']) url.searchParams.delete(name)
    const { url: end } = await issuers.browser().go(url.href, { stopAt: /^http:\/\/127|\/sso\/flows/ })
    if (require_nonce) expect(end).toContain('nonce+is+required')
    else {
      const request = { url, state, verifier: '', nonce: '' }
      const at = await issuers.signIn(issuers.browser(), of, request, signedIn(person, issuers.clock.now()))
      const tokens = await authorizationCodeGrant(of.config, at, { expectedState: state, idTokenExpected: true })
      expect(tokens.claims()).not.toHaveProperty('nonce')
      expect(await userInfo(tokens, of)).toMatchObject({ sub: person })
    }
  })
})
