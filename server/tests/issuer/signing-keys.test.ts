import { buildEndSessionUrl } from 'openid-client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { createIssuerKeys } from '../../src/identity/issuer/keys/issuer-keys.ts'
import type { Browser } from '../support/browser.ts'
import type { App, Tokens } from '../support/issuer.ts'
import { closeIssuer, dayMs, hourMs, issuers, openIssuer, secondMs, signIn } from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('Signing keys', () => {
  const rotating = { keyLeadMs: dayMs, keyRotationMs: 90 * dayMs, idTokenMs: hourMs, sessionMs: 14 * dayMs }
  type Published = { kid: string; alg: string; isPublished?: boolean }

  test('Signing keys sign once they have been published for long, and stay for an hour afterwards', async () => {
    const { database, clock, keyring } = issuers
    const of = await issuers.organization()
    const keys = createIssuerKeys({ database, clock, keyring, ...rotating })
    const published = async () =>
      ((await keys.find(of.id)) as Published[])
        .filter(({ alg, isPublished }) => alg === 'RS256' && isPublished)
        .map(({ kid }) => kid)
    const [first, next] = await published()
    await keys.rotateDueKeys()
    expect(await published()).toEqual([first, next])
    clock.advance(90 * dayMs)
    await keys.rotateDueKeys()
    const after = await published()
    expect(after).toEqual([next, first, expect.any(String)])
    await keys.rotateDueKeys()
    expect(await published()).toEqual(after)
    clock.advance(hourMs + secondMs)
    await keys.rotateDueKeys()
    expect(await published()).toEqual([next, after[2]])
    const count = async () => {
      const [row] = await database.write.rows(sql<{ count: number }>`
        select count(*) from issuer_keys where org_id = ${of.id}`)
      return row?.count
    }
    expect(await count()).toBe(6)
    clock.advance(14 * dayMs)
    await keys.rotateDueKeys()
    expect(await count()).toBe(4)
  })

  describe('Withdrawn signing keys', () => {
    let of: App
    let browser: Browser
    let as: string
    let signedInBefore: Tokens
    const rotate = (body: object = {}) =>
      issuers.as(of.organization, 'POST', '/organizations/sso/oidc/signing-keys/rotate', body)
    const kids = async () =>
      (await issuers.call('GET', `/oidc/${of.organization.id}/jwks`)).body.keys.map(({ kid }: Published) => kid)
    const signOut = (hint = signedInBefore.id_token ?? '') =>
      browser.go(buildEndSessionUrl(of.config, { id_token_hint: hint }).href)
    const tellPage = async (tokens: Tokens) => {
      const body = { event_name: 'VirtualPageLoaded_v1', window_location: 'https://app.test/' }
      const headers = { 'Service-OrgID': of.organization.id, authorization: `Bearer ${tokens.id_token}` }
      return (await issuers.call('POST', '/sdk/events', headers, body)).status
    }

    beforeEach(async () => {
      of = await issuers.app(await issuers.organization())
      as = await issuers.person(of.organization)
      const { request, end, ...signed } = await signIn({ of, as })
      browser = signed.browser
      signedInBefore = await issuers.exchange(of, request, end)
    })

    test('Withdrawn signing keys still check hints as long as a session lives, unpublished, and nothing else', async () => {
      const before = await kids()
      expect((await rotate()).status).toBe(409)
      issuers.clock.advance(dayMs)
      expect((await rotate()).status).toBe(202)
      const after = await kids()
      expect(after).toHaveLength(6)
      expect(before.every((kid: string) => after.includes(kid))).toBe(true)
      issuers.clock.advance(hourMs + secondMs)
      expect(await kids()).toHaveLength(4)
      expect((await signOut()).html).toContain('Sign out?')
      const { url } = await issuers.request(of, { prompt: 'none', id_token_hint: signedInBefore.id_token ?? '' })
      expect(new URL((await browser.go(url.href)).url).searchParams.has('code')).toBe(true)
      issuers.clock.advance(14 * dayMs)
      expect(await signOut()).toMatchObject({ status: 400 })
    })

    test('Withdrawn signing keys check no bearer token, however long it is good', async () => {
      expect(await tellPage(signedInBefore)).toBe(202)
      await issuers.database.write.rows(sql`
        update issuer_keys set withdrawn_at = ${toTimestamp(issuers.clock.now())}
         where org_id = ${of.organization.id} and signs_from is not null`)
      issuers.clock.advance(3 * secondMs)
      expect(await tellPage(signedInBefore)).toBe(401)
      expect(await signOut()).toMatchObject({ status: 200 })
    })

    test('Signing keys withdrawn in an emergency are worth nothing at once, and the next ones sign', async () => {
      const before = await kids()
      expect((await rotate({ emergency: true })).status).toBe(409)
      issuers.clock.advance(10 * secondMs)
      expect((await rotate({ emergency: true })).status).toBe(202)
      const after = await kids()
      expect(after).toHaveLength(4)
      expect(before.filter((kid: string) => after.includes(kid))).toHaveLength(2)
      expect(await signOut()).toMatchObject({ status: 400 })
      expect(await tellPage(signedInBefore)).toBe(401)
      const { request, end } = await signIn({ of, as, browser, parameters: { prompt: 'login' } })
      expect(await tellPage(await issuers.exchange(of, request, end))).toBe(202)
    })

    test('An ID token of another issuer, or for another application, makes no hint', async () => {
      const stranger = await issuers.app(of.organization)
      const { request, end } = await signIn({ of: stranger, as })
      const tokens = await issuers.exchange(stranger, request, end)
      const { url } = await issuers.request(of, { prompt: 'none', id_token_hint: tokens.id_token ?? '' })
      expect(new URL((await browser.go(url.href)).url).searchParams.get('error')).toBe('invalid_request')
      const forged = `${signedInBefore.id_token?.slice(0, -8)}AAAAAAAA`
      expect(await signOut(forged)).toMatchObject({ status: 400 })
    })
  })

  test('Signing keys of an issuer are made once, also by eight processes at once', async () => {
    const { database, clock, keyring } = issuers
    const of = await issuers.organization()
    const find = () => createIssuerKeys({ database, clock, keyring, ...rotating }).find(of.id)
    const found = await Promise.all(Array.from({ length: 8 }, find))
    expect(new Set(found.map((keys) => keys?.map(({ kid }) => kid).join())).size).toBe(1)
    const { body } = await issuers.call('GET', `/oidc/${of.id}/jwks`)
    expect(body.keys.map(({ kid }: Published) => kid)).toEqual(found[0]?.map(({ kid }) => kid))
  })

  test('Keys of all algorithms are rotated at once or none is, and of eight rotations at once one does it', async () => {
    const { database, clock, keyring } = issuers
    const of = await issuers.organization()
    const keys = createIssuerKeys({ database, clock, keyring, ...rotating })
    const kids = async () => (await keys.find(of.id))?.map(({ kid, alg }) => `${alg} ${kid}`) ?? []
    const told: object[] = []
    const rotate = () => keys.rotate(of.id, false, async (_, rotated) => void told.push(rotated))
    const [current, next] = [await kids(), await kids()].map((each, which) =>
      ['RS256', 'ES256'].map((alg) => each.filter((kid) => kid.startsWith(alg))[which]?.split(' ')[1]),
    )
    clock.advance(dayMs)
    await database.write.rows(sql`
      update issuer_keys set published_at = ${toTimestamp(clock.now())}
       where org_id = ${of.id} and alg = 'ES256' and signs_from is null`)
    const before = await kids()
    await expect(rotate()).rejects.toMatchObject({ status: 409 })
    expect([await kids(), told]).toEqual([before, []])
    clock.advance(dayMs)
    const ends = await Promise.allSettled(Array.from({ length: 8 }, rotate))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(told).toEqual([{ former: current, current: next }])
    expect(await kids()).toHaveLength(6)
  })
})
