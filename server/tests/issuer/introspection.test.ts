import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { sweepExpired } from '../../src/identity/issuer/sweep-store.ts'
import { application } from '../support/browser.ts'
import {
  closeIssuer,
  hourMs,
  issuerOf,
  issuers,
  openIssuer,
  organization,
  person,
  refresh,
  send,
  signIn,
  signOut,
  tokensOf,
} from '../support/own-issuer.ts'
import type { Organization } from '../support/signet.ts'

const orders = 'https://orders.example.com'
const stock = 'urn:example:stock'
const inactive = { status: 200, body: { active: false } }
type Registered = { client_id: string; client_secret?: string }

/** An API, which introspects the tokens of its own resource, and an application. */
let api: Registered
let ours: Awaited<ReturnType<typeof issuers.app>>

beforeAll(async () => {
  await openIssuer()
  for (const identifier of [orders, stock]) await resource(identifier)
  api = await register({ confidential: true, introspects: [orders] })
  ours = await issuers.app(organization)
})
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

async function resource(identifier: string): Promise<string> {
  const fields = { identifier, name: 'API', scopes: ['orders:read'] }
  return (await issuers.as(organization, 'POST', '/organizations/resources', fields)).body.result.id
}

async function register(fields: object, of: Organization = organization): Promise<Registered> {
  const body = { name: 'API', redirect_uris: [`${application}callback`], ...fields }
  return (await issuers.as(of, 'POST', '/organizations/applications', body)).body.result
}

const basic = ({ client_id, client_secret = '' }: Registered) =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`

async function introspect(token: string, by: Registered = api, form: Record<string, string> = {}) {
  const answer = await send('/introspect', {
    method: 'POST',
    headers: { authorization: basic(by), origin: application },
    body: new URLSearchParams({ token, ...form }),
  })
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  return { status: answer.status, body: await answer.json() }
}

const asking = (identifier: string) => ({
  of: ours,
  parameters: { resource: identifier, scope: 'openid offline_access orders:read' },
})

describe('Introspection of tokens for a resource', () => {
  test('An API learns of a token for its resource what the token says, and of one for another resource nothing', async () => {
    const { access_token } = await tokensOf(asking(orders))
    expect(await introspect(access_token)).toEqual({
      status: 200,
      body: { ...decodeJwt(access_token), active: true, token_type: 'Bearer' },
    })
    const { access_token: other } = await tokensOf(asking(stock))
    expect(await introspect(other)).toEqual(inactive)
  })

  test('An application learns of its own token, and another one nothing', async () => {
    const own = await register({ confidential: true })
    const parameters = { resource: orders, scope: 'openid' }
    const of = await issuers.app(organization, { confidential: true })
    const { access_token } = await tokensOf({ of, parameters })
    expect(await introspect(access_token, own)).toEqual(inactive)
    const { body } = await issuers.as(organization, 'POST', `/organizations/applications/${of.clientId}/client-secret`)
    expect((await introspect(access_token, body.result)).body).toMatchObject({ active: true, client_id: of.clientId })
  })

  test('A token is inactive once it has expired', async () => {
    const { access_token } = await tokensOf(asking(orders))
    issuers.clock.advance(hourMs)
    expect(await introspect(access_token)).toEqual(inactive)
  })

  test('A token that lives longer than its session’s other tokens is active until it expires', async () => {
    const identifier = 'urn:example:long'
    const fields = { identifier, name: 'API', token_lifetime: '24h' }
    await issuers.as(organization, 'POST', '/organizations/resources', fields)
    const its = await register({ confidential: true, introspects: [identifier] })
    const { access_token } = await tokensOf({ of: ours, parameters: { resource: identifier, scope: 'openid' } })
    issuers.clock.advance(23 * hourMs)
    await sweepExpired(issuers.database.write, issuers.clock, new AbortController().signal)
    expect((await introspect(access_token, its)).body).toMatchObject({ active: true, sub: person })
  })

  test.each<[string, (as: string, token: { refresh_token?: string }) => Promise<unknown>]>([
    ['its person is deactivated', (as) => issuers.as(organization, 'PATCH', `/persons/${as}`, { active: false })],
    ['its person is deleted', (as) => issuers.as(organization, 'DELETE', `/persons/${as}`)],
    [
      'its sign-in is revoked',
      (_as, { refresh_token = '' }) =>
        send('/revoke', {
          method: 'POST',
          body: new URLSearchParams({ client_id: ours.clientId, token: refresh_token }),
        }),
    ],
    [
      'its refresh token is used twice',
      async (_as, tokens) => {
        await refresh(tokens as never, ours)
        await issuers.database.write.rows(sql`
          update issuer_tokens set consumed_at = consumed_at - interval '1 hour' where consumed_at is not null`)
        await refresh(tokens as never, ours).catch(() => {})
      },
    ],
  ])('A token is inactive once %s', async (_, end) => {
    const as = await issuers.person(organization)
    const tokens = await tokensOf({ ...asking(orders), as })
    expect((await introspect(tokens.access_token)).body).toMatchObject({ active: true, sub: as })
    await end(as, tokens)
    expect(await introspect(tokens.access_token)).toEqual(inactive)
  })

  test('A token without offline access is inactive once its session has ended', async () => {
    const { request, end, browser } = await signIn({ of: ours, parameters: { resource: orders } })
    const { access_token } = await issuers.exchange(ours, request, end)
    expect((await introspect(access_token)).body).toMatchObject({ active: true })
    await signOut(browser)
    expect(await introspect(access_token)).toEqual(inactive)
  })

  test('A token is inactive once its application or its resource is deleted, also where a new resource has its identifier', async () => {
    const of = await issuers.app(organization)
    const { access_token } = await tokensOf({ ...asking(orders), of })
    await issuers.as(organization, 'DELETE', `/organizations/applications/${of.clientId}`)
    expect(await introspect(access_token)).toEqual(inactive)

    const identifier = 'urn:example:gone'
    const id = await resource(identifier)
    const its = await register({ confidential: true, introspects: [identifier] })
    const tokens = await tokensOf(asking(identifier))
    expect((await introspect(tokens.access_token, its)).body).toMatchObject({ active: true })
    await issuers.as(organization, 'DELETE', `/organizations/resources/${id}`)
    expect(await introspect(tokens.access_token, its)).toEqual(inactive)
    await resource(identifier)
    expect(await introspect(tokens.access_token, its)).toEqual(inactive)
  })
})

describe('Introspection of opaque tokens', () => {
  test('An application learns of its own access and refresh tokens, and of no code', async () => {
    const of = await issuers.app(organization, { confidential: true })
    const { body } = await issuers.as(organization, 'POST', `/organizations/applications/${of.clientId}/client-secret`)
    const secret: string = body.result.client_secret
    const own = { client_id: of.clientId, client_secret: secret }
    const { request, end } = await signIn({ of, parameters: { scope: 'openid offline_access' } })
    const code = end.searchParams.get('code') ?? ''
    expect(await introspect(code, own)).toEqual(inactive)
    const tokens = await send('/token', {
      method: 'POST',
      headers: { authorization: basic(own) },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: `${application}callback`,
        code_verifier: request.verifier,
      }),
    }).then((answer) => answer.json() as Promise<{ access_token: string; refresh_token: string }>)
    for (const hint of [{}, { token_type_hint: 'refresh_token' }, { token_type_hint: 'other' }]) {
      for (const token of [tokens.access_token, tokens.refresh_token])
        expect((await introspect(token, own, hint as never)).body).toMatchObject({
          active: true,
          sub: person,
          client_id: own.client_id,
          scope: 'openid offline_access',
          iss: issuerOf(organization),
        })
    }
    expect(await introspect(tokens.access_token)).toEqual(inactive)
    expect(await introspect(tokens.refresh_token)).toEqual(inactive)
  })
})

describe('What introspection does not tell', () => {
  test('ID tokens, tokens of another organization, and made-up ones are inactive', async () => {
    const tokens = await tokensOf(asking(orders))
    expect(await introspect(tokens.id_token ?? '')).toEqual(inactive)

    const other = await issuers.organization()
    await issuers.as(other, 'POST', '/organizations/resources', { identifier: orders, name: 'API' })
    const theirs = await register({ confidential: true, introspects: [orders] }, other)
    const answer = await fetch(`${issuers.address}/oidc/${other.id}/introspect`, {
      method: 'POST',
      headers: { authorization: basic(theirs) },
      body: new URLSearchParams({ token: tokens.access_token }),
    })
    expect(await answer.json()).toEqual({ active: false })
    expect((await introspect(tokens.access_token, theirs)).status).toBe(401)

    const claims = decodeJwt(tokens.access_token)
    const [, payload] = tokens.access_token.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const forged = [
      `${none}.${payload}.`,
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(Buffer.alloc(32, 1)),
      await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt' }).sign(privateKey),
      `${tokens.access_token}x`,
      'x',
      'a.b.c',
      '\u0000',
    ]
    for (const token of forged) expect(await introspect(token)).toEqual(inactive)
  })

  test('Nobody introspects without the secret of a confidential application', async () => {
    const { access_token } = await tokensOf(asking(orders))
    const ask = async (headers: Record<string, string>, form: Record<string, string>) => {
      const answer = await send('/introspect', { method: 'POST', headers, body: new URLSearchParams(form) })
      return { status: answer.status, body: (await answer.json()) as { error?: string } }
    }
    const publicApp = { client_id: ours.clientId }
    for (const [headers, form] of [
      [{}, { token: access_token, ...publicApp }],
      [{ authorization: basic({ ...api, client_secret: 'wrong' }) }, { token: access_token }],
      [{}, { token: access_token, client_id: api.client_id }],
      [{ authorization: basic(publicApp) }, { token: access_token }],
    ] as const)
      expect(await ask(headers, form)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await ask({}, { token: access_token })).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(await ask({ authorization: basic(api) }, {})).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  test('A JWT is not revoked, and lives on', async () => {
    const { access_token } = await tokensOf(asking(orders))
    const answer = await send('/revoke', {
      method: 'POST',
      body: new URLSearchParams({ client_id: ours.clientId, token: access_token }),
    })
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 400,
      body: { error: 'unsupported_token_type' },
    })
    expect((await introspect(access_token)).body).toMatchObject({ active: true })
  })
})

describe('The metadata of RFC 8414', () => {
  test('It is that of discovery, where RFC 8414 puts it, for any page and with the limits of discovery', async () => {
    const at = `${issuers.address}/.well-known/oauth-authorization-server/oidc/${organization.id}`
    const answer = await fetch(at, { headers: { origin: 'https://anywhere.example.com' } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://anywhere.example.com')
    const document = (await answer.json()) as Record<string, unknown>
    expect(document).toEqual(await (await send('/.well-known/openid-configuration')).json())
    expect(document).toMatchObject({
      issuer: issuerOf(organization),
      introspection_endpoint: `${issuerOf(organization)}/introspect`,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      token_endpoint: `${issuerOf(organization)}/token`,
    })
    for (const unknown of ['01890000-0000-7000-8000-000000000000', 'x'])
      expect((await fetch(`${issuers.address}/.well-known/oauth-authorization-server/oidc/${unknown}`)).status).toBe(
        404,
      )
    expect((await fetch(at, { method: 'POST' })).status).toBe(405)
  })
})
