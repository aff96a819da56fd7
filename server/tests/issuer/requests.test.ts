import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { findInteraction } from '../../src/identity/issuer/index.ts'
import { baseUrl } from '../support/browser.ts'
import { redirectUri, uidIn } from '../support/issuer.ts'
import {
  app,
  closeIssuer,
  confidential,
  issuerOf,
  issuers,
  openIssuer,
  organization,
  secondMs,
  send,
  tokensOf,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('A request', () => {
  test.each<[string, Record<string, string>]>([
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['another response type', { response_type: 'code id_token' }],
    ['an unknown prompt', { prompt: 'create' }],
    ['no openid in its scope', { scope: 'profile', nonce: '' }],
  ])('A request with %s is reported to the application', async (_what, parameters) => {
    const { url } = await issuers.request(app, parameters)
    for (const [name, value] of [...url.searchParams]) if (!value) url.searchParams.delete(name)
    const { url: end } = await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\// })
    expect(end).toMatch(/^https:\/\/app\.test\/callback[?#]/)
    expect(end).toContain('error=')
    expect(end).not.toContain('code=')
  })

  test.each(['nonce', 'code_challenge'])(
    'A request of a confidential application without PKCE needs at least a %s',
    async (kept) => {
      const { url } = await issuers.request(confidential)
      for (const name of ['nonce', 'code_challenge', 'code_challenge_method'])
        if (!name.startsWith(kept)) url.searchParams.delete(name)
      const page = await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\// })
      expect(uidIn(page.url)).not.toBe('')
      for (const name of ['nonce', 'code_challenge', 'code_challenge_method']) url.searchParams.delete(name)
      const { url: refused } = await issuers.browser().go(url.href)
      expect(new URL(refused).searchParams.get('error_description')).toContain('nonce')
    },
  )

  test.each([
    `${redirectUri}/`,
    `${redirectUri}?a=b`,
    `${redirectUri}#a`,
    `${redirectUri}%20`,
    redirectUri.replace('callback', 'Callback'),
    redirectUri.replace('callback', './callback'),
    redirectUri.replace('https', 'http'),
    redirectUri.replace('app.test', 'app.test:443'),
    redirectUri.replace('app.test', 'app.test.evil.test'),
    redirectUri.replace('app.test', 'evil.test@app.test'),
    '',
  ])('A request with the redirect URI %j, which is only almost registered, ends on a page of ours', async (uri) => {
    const { url } = await issuers.request(app)
    url.searchParams.set('redirect_uri', uri)
    const page = await issuers.browser().go(url.href)
    expect(page).toMatchObject({ status: 400, url: url.href })
    expect(page.html).toContain('This sign-in cannot go on')
    // As text, and nothing that leads there.
    if (uri) expect(page.html).toContain(`The application named ${uri}<`)
    expect(page.html).not.toMatch(/href|refresh|action/)
  })

  test('A request of an application of another organization, or of none, ends on a page of ours', async () => {
    const other = await issuers.app(await issuers.organization())
    const { url } = await issuers.request(app)
    for (const clientId of [other.clientId, 'unknown', app.clientId.toUpperCase(), '<script>']) {
      url.searchParams.set('client_id', clientId)
      const page = await issuers.browser().go(url.href)
      expect(page.status).toBe(400)
      expect(page.html).not.toContain('<script')
      expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    }
  })

  test('A request with forged Host and X-Forwarded headers is answered with our own addresses', async () => {
    const forged = {
      host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.test;proto=http',
    }
    const discovered = await (await send('/.well-known/openid-configuration', { headers: forged })).text()
    expect(discovered).not.toContain('evil.test')
    const { url } = await issuers.request(app)
    const answer = await send(`/authorize${url.search}`, { headers: forged })
    expect(answer.headers.get('location')).toMatch(/^\/sso\/flows\//)
    expect(answer.headers.getSetCookie().every((cookie) => /; secure/i.test(cookie) && !/domain/i.test(cookie))).toBe(
      true,
    )
    const uid = uidIn(new URL(answer.headers.get('location') ?? '', baseUrl).href)
    const now = toTimestamp(issuers.clock.now())
    const found = await findInteraction(issuers.database.read, organization.id, uid, now)
    expect(found?.returnTo).toBe(`${issuerOf(organization)}/authorize/${uid}`)
  })

  test('A request of more than 24 KiB ends on a page of ours, and is not stored', async () => {
    const { url } = await issuers.request(app)
    const withLength = (length: number) => `${url.href}&more=${'x'.repeat(length - url.search.length - '&more'.length)}`
    const browser = issuers.browser()
    expect(uidIn((await browser.go(withLength(24_576), { stopAt: /\/sso\/flows\// })).url)).not.toBe('')
    const count = async () =>
      (await issuers.database.write.rows(sql<{ count: number }>`select count(*) from issuer_interactions`))[0]?.count
    const before = await count()
    const tooLong = withLength(24_577)
    const page = await browser.go(tooLong)
    expect(page).toMatchObject({ status: 400, url: tooLong })
    expect(page.html).toContain('This sign-in cannot go on')
    expect(await count()).toBe(before)
  })

  test('A request of a client that knows other scopes and prompts goes on; offline_access needs no consent', async () => {
    const tokens = await tokensOf({
      parameters: { scope: 'openid email profile offline_access address unknown', prompt: 'consent' },
    })
    expect(tokens.scope).toBe('openid email profile offline_access')
    expect(tokens.refresh_token).toBeDefined()
    expect((await tokensOf()).refresh_token).toBeUndefined()
  })

  test('A request is found with its parameters and where it came from', async () => {
    const parameters = { prompt: 'login', correlation_id: 'c', login_hint: 'jo' }
    const { url } = await issuers.request(app, parameters)
    const page = await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\//, referer: 'https://app.test/start' })
    const now = toTimestamp(issuers.clock.now())
    const found = (id: string) => findInteraction(issuers.database.read, id, uidIn(page.url), now)
    expect(await found(organization.id)).toMatchObject({
      clientId: app.clientId,
      params: parameters,
      windowLocation: 'https://app.test/start',
      sessionPersonId: undefined,
      hasResult: false,
    })
    expect(await found((await issuers.organization()).id)).toBeUndefined()
  })

  test('A request keeps 2,048 characters of where it came from', async () => {
    const [{ url }, referer] = [await issuers.request(app), `https://app.test/${'x'.repeat(4_000)}`]
    const page = await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\//, referer })
    const now = toTimestamp(issuers.clock.now())
    const found = await findInteraction(issuers.database.read, organization.id, uidIn(page.url), now)
    expect(found?.windowLocation).toHaveLength(2_048)
  })
})

test('A request waits fifteen minutes for a person to sign in', async () => {
  const browser = issuers.browser()
  const { url } = await issuers.request(app)
  const page = await browser.go(url.href, { stopAt: /\/sso\/flows\// })
  const find = () =>
    findInteraction(issuers.database.read, organization.id, uidIn(page.url), toTimestamp(issuers.clock.now()))
  issuers.clock.advance(14 * 60 * secondMs)
  expect(await find()).toBeDefined()
  issuers.clock.advance(61 * secondMs)
  expect(await find()).toBeUndefined()
  expect((await browser.go(`${issuerOf(organization)}/authorize/${uidIn(page.url)}`)).status).toBe(400)
})
