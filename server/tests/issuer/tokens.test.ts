import { createHash } from 'node:crypto'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, customFetch as joseFetch, jwtVerify } from 'jose'
import { tokenRevocation } from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { fetchAt } from '../support/browser.ts'
import { redirectUri } from '../support/issuer.ts'
import {
  app,
  closeIssuer,
  hourMs,
  issuerOf,
  issuers,
  offline,
  openIssuer,
  organization,
  person,
  secondMs,
  send,
  signIn,
  tokensOf,
  unauthorized,
  userInfo,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('Tokens', () => {
  test('Tokens say who signed in, in which organization, how and with which groups, and what the hooks add', async () => {
    const tokens = await tokensOf({ claims: { tier: { seats: [1, null] } } })
    const claims = {
      sub: person,
      org_id: organization.id,
      groups: ['crew', 'staff'],
      authenticated_methods: ['oidc'],
      region: 'local',
      tier: { seats: [1, null] },
    }
    expect(tokens.claims()).toMatchObject({ ...claims, iss: issuerOf(organization), aud: app.clientId })
    expect(await userInfo(tokens)).toEqual(claims)
    expect(tokens.expires_in).toBe(hourMs / secondMs)
    const { exp = 0, iat = 0 } = decodeJwt(tokens.id_token ?? '')
    expect(exp - iat).toBe(hourMs / secondMs)
  })

  test('Tokens keep their own claims whatever a hook says', async () => {
    const claims = {
      sub: 'another',
      groups: ['admins'],
      org_id: 'x',
      region: 'x',
      iss: 'x',
      aud: 'x',
      nonce: 'x',
      exp: 1,
    }
    const tokens = await tokensOf({ claims })
    const own = { sub: person, groups: ['crew', 'staff'], org_id: organization.id, region: 'local' }
    expect(tokens.claims()).toMatchObject({ ...own, iss: issuerOf(organization), aud: app.clientId })
    expect(await userInfo(tokens)).toMatchObject(own)
  })

  test('Tokens leave out groups beyond 4 KiB, and say so', async () => {
    const groups = Array.from({ length: 50 }, (_, index) => `${'g'.repeat(90)}-${index}`)
    const as = await issuers.person(organization, groups)
    const claims = (await tokensOf({ as })).claims()
    expect(claims).toMatchObject({ groups_truncated: true })
    expect(claims).not.toHaveProperty('groups')
  })

  test.each(['RS256', 'ES256'])(
    'Tokens are signed with %s where the application chose it, by a published key',
    async (alg) => {
      const of = await issuers.app(organization, { id_token_signed_response_alg: alg })
      const { id_token = '' } = await tokensOf({ of })
      const jwks = createRemoteJWKSet(new URL(`${issuerOf(organization)}/jwks`), {
        [joseFetch]: fetchAt(() => issuers.address) as never,
      })
      const { protectedHeader } = await jwtVerify(id_token, jwks, {
        issuer: issuerOf(organization),
        audience: of.clientId,
      })
      expect(protectedHeader.alg).toBe(alg)
    },
  )

  test('Tokens of one organization are worth nothing at another', async () => {
    const other = await issuers.organization()
    const { access_token, id_token = '' } = await tokensOf()
    const options = { headers: { authorization: `Bearer ${access_token}` } }
    expect((await fetch(`${issuers.address}/oidc/${other.id}/userinfo`, options)).status).toBe(401)
    const { keys } = (await (await fetch(`${issuers.address}/oidc/${other.id}/jwks`)).json()) as {
      keys: { kid: string }[]
    }
    expect(keys.map(({ kid }) => kid)).not.toContain(decodeProtectedHeader(id_token).kid)
  })

  test('Tokens go to a confidential application that authenticates in either way, and to nobody with a wrong secret', async () => {
    const { body } = await issuers.as(organization, 'POST', '/organizations/applications', {
      name: 'Post',
      redirect_uris: [redirectUri],
      confidential: true,
    })
    const { client_id, client_secret } = body.result
    const of = await issuers.app(organization)
    const exchanged = async (secret: string, basic: boolean) => {
      const { request, end } = await signIn({
        of,
        parameters: { client_id },
      })
      const sent = new URLSearchParams({
        grant_type: 'authorization_code',
        code: end.searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: request.verifier,
        ...(basic ? {} : { client_id, client_secret: secret }),
      })
      const authorization = `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}`
      const answer = await send('/token', { method: 'POST', body: sent, headers: basic ? { authorization } : {} })
      return answer.status
    }
    for (const basic of [true, false]) {
      expect(await exchanged(client_secret, basic)).toBe(200)
      expect(await exchanged(`${client_secret}x`, basic)).toBe(401)
    }
    const path = `/organizations/applications/${client_id}/client-secret`
    const { body: rotated } = await issuers.as(organization, 'POST', path)
    expect(await exchanged(client_secret, true)).toBe(401)
    expect(await exchanged(rotated.result.client_secret, true)).toBe(200)
  })

  test('Tokens and codes are stored nowhere as they are', async () => {
    const { request, end } = await signIn(offline)
    const code = end.searchParams.get('code') ?? ''
    const { access_token, refresh_token = '' } = await issuers.exchange(app, request, end)
    const rows = await issuers.database.write.rows(sql<{ row: string }>`
      select t::text as row from issuer_tokens t union all select g::text from issuer_grants g
      union all select s::text from issuer_sessions s`)
    const stored = rows.map(({ row }) => row).join()
    expect(stored).toContain(createHash('sha256').update(code).digest('hex'))
    for (const secret of [code, access_token, refresh_token])
      for (const text of [secret, Buffer.from(secret).toString('hex')]) expect(stored).not.toContain(text)
  })
})

test('An application may have no groups in its tokens', async () => {
  const of = await issuers.app(organization, { groups_claim: false })
  const tokens = await tokensOf({ of })
  for (const claims of [tokens.claims(), await userInfo(tokens, of)]) {
    expect(claims).not.toHaveProperty('groups')
    expect(claims).not.toHaveProperty('groups_truncated')
  }
})

test('An access token that is revoked is worth nothing any more', async () => {
  const tokens = await tokensOf()
  await tokenRevocation(app.config, tokens.access_token)
  await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
})

test('An access token is good for an hour', async () => {
  const tokens = await tokensOf()
  issuers.clock.advance(hourMs - secondMs)
  expect(await userInfo(tokens)).toHaveProperty('sub')
  issuers.clock.advance(2 * secondMs)
  await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
})
