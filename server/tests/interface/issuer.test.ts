import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

const origin = 'https://app.test'
const foreign = 'https://evil.test'

let signet: Signet
let organization: Organization
let clientId: string

beforeAll(async () => {
  signet = await startOwnSignet()
  organization = await signet.organization()
  clientId = await makeApplication(`${origin}/callback`)
  await makeApplication('https://other.test/callback')
})

afterAll(() => signet?.stop())

async function makeApplication(redirectUri: string): Promise<string> {
  const fields = { name: 'App', redirect_uris: [redirectUri] }
  return (await signet.as(organization, 'POST', '/organizations/applications', fields)).body.result.client_id
}

const issuer = () => `${signet.baseUrl}/oidc/${organization.id}`
const send = (path: string, options: RequestInit = {}) =>
  fetch(`${issuer()}${path}`, { redirect: 'manual', ...options })
const allowedFor = (answer: Response) => answer.headers.get('access-control-allow-origin')

describe('An issuer', () => {
  // Proves sign-in/66.
  test('An issuer is discovered: each organization has its own, with what it can do and nothing else', async () => {
    const answer = await send('/.well-known/openid-configuration')
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
    expect(await answer.json()).toMatchObject({
      issuer: issuer(),
      authorization_endpoint: `${issuer()}/authorize`,
      token_endpoint: `${issuer()}/token`,
      userinfo_endpoint: `${issuer()}/userinfo`,
      jwks_uri: `${issuer()}/jwks`,
      revocation_endpoint: `${issuer()}/revoke`,
      end_session_endpoint: `${issuer()}/logout`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['openid', 'offline_access', 'email', 'phone', 'profile'],
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    })
  })

  test('An issuer publishes of each algorithm the signing key and the next one, without their private parts', async () => {
    const { keys } = (await (await send('/jwks')).json()) as { keys: Record<string, string>[] }
    expect(keys.map(({ alg }) => alg)).toEqual(['ES256', 'ES256', 'RS256', 'RS256'])
    for (const key of keys)
      expect(
        Object.keys(key).filter((name) => !['kty', 'use', 'kid', 'alg', 'crv', 'x', 'y', 'e', 'n'].includes(name)),
      ).toEqual([])
  })

  test('An issuer of an unknown organization, or under another spelling, is not found', async () => {
    for (const id of ['00000000-0000-7000-8000-000000000000', 'x', organization.id.toUpperCase()])
      expect(await signet.call('GET', `/oidc/${id}/jwks`)).toMatchObject(refused(404, 'issuer: not found'))
  })

  test('A client that was given another address for the issuer reads what an issuer looks like', async () => {
    const { baseUrl } = signet
    const anywhere = `${baseUrl}/oidc/<organization ID>`
    const expected = [
      ['', anywhere],
      ['/oidc', anywhere],
      [`/oidc/${organization.id}/`, issuer()],
      [`/oidc/${organization.id.toUpperCase()}/`, issuer()],
      ['/oidc/x/', anywhere],
    ]
    for (const [given, meant] of expected)
      for (const document of ['openid-configuration', 'oauth-authorization-server'])
        expect(await signet.call('GET', `${given}/.well-known/${document}`)).toMatchObject(
          refused(404, `path: no issuer is here; an issuer is ${meant}, without a slash at its end`),
        )
  })

  test('An issuer serves each path with its own methods, and no other path', async () => {
    const answer = await signet.call('GET', `/oidc/${organization.id}/token`)
    const body = { error: 'invalid_request', error_description: 'method: must be one of POST, OPTIONS' }
    expect(answer).toMatchObject({ status: 405, body })
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS')
    for (const path of ['', '/', '/register', '/par', '/interaction/x', '/.well-known/oauth-authorization-server'])
      expect(await signet.call('GET', `/oidc/${organization.id}${path}`)).toMatchObject(
        refused(404, 'path: no such operation'),
      )
  })

  test.each<[string, RequestInit]>([
    ['JSON', { body: '{}', headers: { 'content-type': 'application/json' } }],
    ['a body of 100 kB', { body: new URLSearchParams({ grant_type: 'x'.repeat(100_000) }) }],
    ['nothing', {}],
    ['an unknown grant', { body: new URLSearchParams({ grant_type: 'password', client_id: 'x' }) }],
  ])('An issuer answers %s at its token endpoint with an OAuth error', async (_what, options) => {
    const answer = await send('/token', { method: 'POST', ...options })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/) })
  })
})

describe('A page of another origin', () => {
  const preflight = (from: string) => ({
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    },
  })

  test.each(['/token', '/userinfo', '/revoke'])(
    'A page may read the reply of %s if its origin is one of an application; other origins are answered, but may not read the reply',
    async (path) => {
      expect(allowedFor(await send(path, preflight(origin)))).toBe(origin)
      for (const from of [foreign, 'null', `${origin}.evil.test`, 'https://app.tes', 'http://app.test']) {
        for (const options of [preflight(from), { method: 'POST', headers: { origin: from } }]) {
          const answer = await send(path, options)
          expect(answer.status).not.toBe(403)
          expect(allowedFor(answer)).toBeNull()
        }
      }
    },
  )

  test('A page of each application of the organization may read the reply', async () => {
    const ask = (from: string) =>
      send('/token', {
        method: 'POST',
        headers: { origin: from },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId }),
      })
    expect(allowedFor(await ask(origin))).toBe(origin)
    expect(allowedFor(await ask('https://other.test'))).toBe('https://other.test')
    expect(allowedFor(await ask(foreign))).toBeNull()
  })

  test('A page of any origin may read discovery and keys', async () => {
    for (const path of ['/.well-known/openid-configuration', '/jwks'])
      expect(allowedFor(await send(path, { headers: { origin: foreign } }))).toBe(foreign)
  })
})
