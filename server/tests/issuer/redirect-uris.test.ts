import { buildEndSessionUrl } from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { application, baseUrl } from '../support/browser.ts'
import { loopbackForm, redirectUri } from '../support/issuer.ts'
import {
  actionIn,
  closeIssuer,
  formIn,
  invalidGrant,
  issuers,
  openIssuer,
  organization,
  signIn,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('A redirect URI', () => {
  test('A redirect URI keeps its query as it is, in success and error, and has a fragment of its own', async () => {
    const uri = `${application}cb?flag&n=%E4&&p=a+b%20c`
    const of = await issuers.app(organization, { redirect_uris: [uri] })
    const end = async (parameters: object) =>
      (await signIn({ of, parameters: { redirect_uri: uri, ...parameters } })).end.href
    expect(await end({})).toMatch(
      /^https:\/\/app\.test\/cb\?flag&n=%E4&&p=a\+b%20c&code=[\w-]+&state=[^&]+&iss=[^&]+#$/,
    )
    const { url } = await issuers.request(of, { redirect_uri: uri, prompt: 'none' })
    expect((await issuers.browser().go(url.href)).url).toContain(`${uri}&error=login_required`)
  })

  test('A redirect URI keeps its query also where the reply is in the fragment, and after a sign-out', async () => {
    const uri = `${application}a/../cb?flag&n=%E4&&p=a+b%20c`
    const of = await issuers.app(organization, { redirect_uris: [redirectUri, uri], post_logout_redirect_uris: [uri] })
    const { request, end, browser } = await signIn({ of })
    const tokens = await issuers.exchange(of, request, end)
    const { url } = await issuers.request(of, { redirect_uri: uri, prompt: 'none', response_mode: 'fragment' })
    const answer = await fetch(url.href.replace(baseUrl, issuers.address), { redirect: 'manual' })
    expect(answer.headers.get('location')).toContain(`${uri}#error=login_required`)

    const parameters = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: uri, state: 'left' }
    const ask = () => browser.go(buildEndSessionUrl(of.config, parameters).href)
    const page = await ask()
    const left = await browser.go(actionIn(page), { form: { ...formIn(page), logout: 'yes' } })
    const arrived = new URL(uri).href
    expect(left.url).toBe(`${arrived}&state=left`)
    expect((await ask()).url).toBe(`${arrived}&state=left#`)
  })

  const loopback = { redirect_uris: ['http://127.0.0.1/cb'], post_logout_redirect_uris: ['http://[::1]:8000'] }

  test.each(['http://127.0.0.1:49152/cb', 'http://127.0.0.1:1/cb', 'http://127.0.0.1/cb'])(
    'A redirect URI of a public application on the loopback interface may have any port, as in %s, the same one at the token endpoint',
    async (redirect_uri) => {
      const of = await issuers.app(organization, loopback)
      const { request, end } = await signIn({ of, parameters: { redirect_uri } })
      expect(end.href).toMatch(`${redirect_uri}?code=`)
      const other = new URL(end)
      other.port = '50000'
      await expect(issuers.exchange(of, request, other)).rejects.toEqual(invalidGrant)
      expect(await issuers.exchange(of, request, end)).toHaveProperty('id_token')
    },
  )

  test.each([
    ['a confidential application', { ...loopback, confidential: true }, 'http://127.0.0.1:49152/cb'],
    ['another loopback address', loopback, 'http://[::1]:49152/cb'],
    ['localhost', { redirect_uris: ['http://localhost/cb'] }, 'http://localhost:49152/cb'],
    ['no port that there is', loopback, 'http://127.0.0.1:65536/cb'],
  ])('A redirect URI of %s has no other port than the registered one', async (_whose, fields, redirect_uri) => {
    const of = await issuers.app(organization, fields)
    const { url } = await issuers.request(of, { redirect_uri })
    expect((await issuers.browser().go(url.href)).status).toBe(400)
  })

  test('A post-logout redirect URI on the loopback interface may have any port as well', async () => {
    const of = await issuers.app(organization, loopback)
    const leave = (to: string) =>
      issuers
        .browser()
        .go(buildEndSessionUrl(of.config, { post_logout_redirect_uri: to, client_id: of.clientId }).href, {
          stopAt: loopbackForm,
        })
    expect((await leave('http://[::1]:49152')).url).toMatch(/^http:\/\/\[::1\]:49152\/?#$/)
    expect((await leave('http://127.0.0.1:49152')).status).toBe(400)
  })
})
