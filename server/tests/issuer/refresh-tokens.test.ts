import { createHash } from 'node:crypto'
import { refreshTokenGrant, tokenRevocation } from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import type { AnotherProcess, App, Tokens } from '../support/issuer.ts'
import {
  app,
  closeIssuer,
  countFulfilled,
  dayMs,
  hourMs,
  invalidGrant,
  issuers,
  offline,
  openIssuer,
  organization,
  refresh,
  secondMs,
  signIn,
  signOut,
  tokensOf,
  unauthorized,
  userInfo,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('A refresh token', () => {
  let other: AnotherProcess

  beforeAll(async () => {
    other = await issuers.another()
  })

  afterAll(() => other?.stop())

  test('A refresh token gives another one, reads the person anew, and keeps the claims of the hooks', async () => {
    const as = await issuers.person(organization, ['crew'])
    const tokens = await tokensOf({ ...offline, as, claims: { tier: 'gold' } })
    await issuers.as(organization, 'PUT', `/persons/${as}/groups`, { groups: ['staff'] })
    const next = await refresh(tokens)
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    expect(next.claims()).toMatchObject({ sub: as, groups: ['staff'], tier: 'gold' })
  })

  /** As if its first use had been so much earlier, by the clock of the database. */
  const age = ({ refresh_token = '' }: Tokens, seconds: number) =>
    issuers.database.write.rows(sql`
      update issuer_tokens set consumed_at = consumed_at - ${seconds}::int * interval '1 s'
       where id_hash = ${createHash('sha256').update(refresh_token).digest()}`)

  // Proves sign-in/60.
  test('A refresh token used again later ends all tokens made from it, all lines included', async () => {
    const tokens = await tokensOf(offline)
    const lines = [await refresh(tokens), await refresh(tokens)]
    await age(tokens, 11)
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    for (const line of lines) {
      await expect(refresh(line)).rejects.toEqual(invalidGrant)
      await expect(userInfo(line)).rejects.toEqual(unauthorized)
    }
  })

  test.each([
    ['0s', 0, 0],
    ['60s', 55, 1],
    ['60s', 61, 0],
    ['1s', 2, 0],
  ])(
    'A refresh token of an application with the grace %s, used again after %i s, gives %i more',
    async (refresh_token_grace, seconds, count) => {
      const of = await issuers.app(organization, { refresh_token_grace })
      const tokens = await tokensOf({ ...offline, of })
      await refresh(tokens, of)
      await age(tokens, seconds)
      expect(await countFulfilled([refresh(tokens, of)], invalidGrant)).toBe(count)
    },
  )

  test('A refresh token is used again after its session has ended, not by another application or for a person who is not active', async () => {
    const other = await issuers.app(organization)
    const tokens = await tokensOf(offline)
    const next = await refresh(tokens)
    await expect(refresh(tokens, other)).rejects.toEqual(invalidGrant)
    expect(await refresh(next)).toHaveProperty('refresh_token')

    const { request, end, browser } = await signIn(offline)
    const left = await issuers.exchange(app, request, end)
    await refresh(left)
    await signOut(browser)
    expect(await refresh(await refresh(left))).toHaveProperty('refresh_token')

    const outlived = await tokensOf(offline)
    issuers.clock.advance(14 * dayMs + secondMs)
    await refresh(outlived)
    expect(await refresh(outlived)).toHaveProperty('refresh_token')
    issuers.clock.reset()

    const as = await issuers.person(organization)
    const inactive = await tokensOf({ ...offline, as })
    await refresh(inactive)
    await issuers.as(organization, 'PATCH', `/persons/${as}`, { active: false })
    await expect(refresh(inactive)).rejects.toEqual(invalidGrant)
  })

  test('A refresh token is not used again once its application is deleted, nor after a change of the grace, whoever still knows the old one', async () => {
    const [gone, changed] = [await issuers.app(organization), await issuers.app(organization)]
    const at = (of: App, tokens: Tokens) => other.refresh(of, tokens.refresh_token ?? '')
    for (const [of, method, body] of [
      [gone, 'DELETE'],
      [changed, 'PATCH', { refresh_token_grace: '0s' }],
    ] as const) {
      const tokens = await tokensOf({ ...offline, of })
      expect((await at(of, tokens)).status).toBe(200)
      await issuers.as(organization, method, `/organizations/applications/${of.clientId}`, body)
      expect(await at(of, tokens)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    }
  })

  test('A refresh token takes the very scope of the sign-in again, a part of it, and nothing that was not granted', async () => {
    const scope = 'openid profile email offline_access made_up'
    const tokens = await tokensOf({ parameters: { scope } })
    const next = await refreshTokenGrant(app.config, tokens.refresh_token ?? '', { scope })
    expect(next.scope).toBe('openid profile email offline_access')
    const part = await refreshTokenGrant(app.config, next.refresh_token ?? '', { scope: 'openid other' })
    expect(part.scope).toBe('openid')
    const all = await refreshTokenGrant(app.config, part.refresh_token ?? '', { scope: 'other' })
    expect(all.scope).toBe('openid profile email offline_access')
    const more = refreshTokenGrant(app.config, all.refresh_token ?? '', { scope: 'openid phone' })
    await expect(more).rejects.toMatchObject({ error: 'invalid_scope' })
  })

  test('A refresh token is good for thirty days without use, and for ninety in all', async () => {
    const [idle, ...others] = await Promise.all([tokensOf(offline), tokensOf(offline), tokensOf(offline)])
    let used = others[0] as Tokens
    for (const days of [29, 29, 29]) {
      issuers.clock.advance(days * dayMs)
      used = await refresh(used)
    }
    issuers.clock.advance(3 * dayMs - hourMs / 2)
    used = await refresh(used)
    expect(used.expires_in).toBeLessThanOrEqual(hourMs / 2 / secondMs)
    issuers.clock.advance(hourMs)
    await expect(refresh(used)).rejects.toEqual(invalidGrant)
    await expect(userInfo(used)).rejects.toEqual(unauthorized)
    issuers.clock.reset()
    issuers.clock.advance(29 * dayMs)
    expect(await refresh(others[1] as Tokens)).toHaveProperty('id_token')
    issuers.clock.advance(2 * dayMs)
    await expect(refresh(idle as Tokens)).rejects.toEqual(invalidGrant)
  })

  test('A revoked refresh token ends its access tokens as well; revoked by another application it does not', async () => {
    const tokens = await tokensOf(offline)
    const other = await issuers.app(organization)
    await tokenRevocation(other.config, tokens.refresh_token ?? '')
    expect(await userInfo(tokens)).toHaveProperty('sub')
    await tokenRevocation(app.config, tokens.refresh_token ?? '')
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
  })
})
