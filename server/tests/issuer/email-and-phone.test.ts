import { fetchUserInfo } from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { app, closeIssuer, issuers, openIssuer, organization, refresh, send, tokensOf } from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('The scopes email and phone', () => {
  const handles = [
    { type: 'EmailAddress', value: 'first@example.com' },
    { type: 'EmailAddress', value: 'vouched@example.com', verified: true },
    { type: 'PhoneNumber', value: '+12025550123' },
  ]
  const email = { email: 'vouched@example.com', email_verified: true }
  const phone = { phone_number: '+12025550123', phone_number_verified: false }
  const none = [...Object.keys(email), ...Object.keys(phone)]

  const personWith = async (fields: object): Promise<string> =>
    (await issuers.as(organization, 'POST', '/persons', fields)).body.result.person_id
  const claimsOf = async (as: string, scope: string, claims?: object) => {
    const tokens = await tokensOf({ as, parameters: { scope }, ...(claims && { claims }) })
    return [tokens.claims(), await fetchUserInfo(app.config, tokens.access_token, as)]
  }

  test('The scopes email and phone give the handles of a person, a verified one first, in ID token and user info', async () => {
    const as = await personWith({ handles })
    for (const claims of await claimsOf(as, 'openid email phone profile'))
      expect(claims).toMatchObject({ ...email, ...phone })
    for (const claims of await claimsOf(as, 'openid phone')) {
      expect(claims).toMatchObject(phone)
      expect(claims).not.toHaveProperty('email')
    }
    for (const claims of await claimsOf(as, 'openid')) for (const name of none) expect(claims).not.toHaveProperty(name)
    for (const claims of await claimsOf(await personWith({}), 'openid email phone'))
      for (const name of none) expect(claims).not.toHaveProperty(name)
  })

  test('The scopes email and phone say nothing that a hook says, and read the person anew at a refresh', async () => {
    const as = await personWith({ handles: [{ type: 'EmailAddress', value: 'own@example.com', verified: true }] })
    const stored = { email: 'hook@example.com', email_verified: true }
    for (const claims of await claimsOf(as, 'openid email', stored))
      expect(claims).toMatchObject({ email: 'own@example.com', email_verified: true })
    const tokens = await tokensOf({ as, parameters: { scope: 'openid email offline_access' } })
    const changed = { handles: [{ type: 'EmailAddress', value: 'new@example.com', verified: true }] }
    expect((await issuers.as(organization, 'PATCH', `/persons/${as}`, changed)).status).toBe(200)
    expect((await refresh(tokens)).claims()).toMatchObject({ email: 'new@example.com', email_verified: true })
  })

  test('The scopes email and phone are in the discovery document, with what revocation takes, which may be cached for a while', async () => {
    const answer = await send('/.well-known/openid-configuration')
    const document = (await answer.json()) as { [name: string]: string[] }
    expect(document.scopes_supported).toEqual(['openid', 'offline_access', 'email', 'phone', 'profile'])
    expect(document.claims_supported).toEqual(expect.arrayContaining(none))
    expect(document.claims_supported).toContain('sid')
    expect(document.revocation_endpoint_auth_methods_supported).toEqual(document.token_endpoint_auth_methods_supported)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect((await send('/jwks')).headers.get('cache-control')).toBe('public, max-age=300')
  })
})
