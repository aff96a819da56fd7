import { buildEndSessionUrl } from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { application, type Browser } from '../support/browser.ts'
import { type App, redirectUri, type Tokens } from '../support/issuer.ts'
import {
  closeIssuer,
  issuerOf,
  issuers,
  offline,
  openIssuer,
  organization,
  signIn,
  tokensOf,
  unauthorized,
  userInfo,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('Signing out', () => {
  const target = `${application}bye`
  let leaving: App

  beforeAll(async () => {
    leaving = await issuers.app(organization, { post_logout_redirect_uris: [target] })
  })

  const ask = async (browser: Browser, tokens: Tokens, parameters: Record<string, string> = {}) =>
    browser.go(
      buildEndSessionUrl(leaving.config, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: target,
        state: 'left',
        ...parameters,
      }).href,
    )

  const confirm = (browser: Browser, { html }: { html: string }, form: Record<string, string>) => {
    const action = /action="([^"]+)"/.exec(html)?.[1] ?? ''
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
    return browser.go(action, { form: { xsrf, ...form } })
  }

  test('A sign-out asks on a page without any script, ends the session and its tokens, and goes where the application wants', async () => {
    const { browser, request, end } = await signIn({ of: leaving })
    const tokens = await issuers.exchange(leaving, request, end)
    const outliving = await tokensOf({ of: leaving, browser, parameters: { ...offline.parameters, prompt: 'login' } })
    const page = await ask(browser, tokens)
    expect(page.status).toBe(200)
    expect(page.html).not.toContain('<script')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self';")
    const left = await confirm(browser, page, { logout: 'yes' })
    expect(left.url).toBe(`${target}?state=left`)
    await expect(userInfo(tokens, leaving)).rejects.toEqual(unauthorized)
    expect(await userInfo(outliving, leaving)).toHaveProperty('sub')
    expect((await ask(browser, tokens)).url).toBe(`${target}?state=left#`)
  })

  test('A sign-out needs the answer to the page that asked', async () => {
    const { browser, request, end } = await signIn({ of: leaving })
    const tokens = await issuers.exchange(leaving, request, end)
    const page = await ask(browser, tokens)
    expect(
      (await confirm(browser, { html: page.html.replace(/name="xsrf" value="/, '$&x') }, { logout: 'yes' })).status,
    ).toBe(400)
    expect(await userInfo(tokens, leaving)).toHaveProperty('sub')
    expect((await confirm(browser, page, {})).url).toBe(`${target}?state=left`)
    expect(await userInfo(tokens, leaving)).toHaveProperty('sub')
  })

  test.each([`${target}/`, `${target}?a`, 'https://evil.test/', redirectUri])(
    'A sign-out never leads to %s, which is not registered for it',
    async (uri) => {
      const { browser, request, end } = await signIn({ of: leaving })
      const tokens = await issuers.exchange(leaving, request, end)
      const page = await ask(browser, tokens, { post_logout_redirect_uri: uri })
      expect(page.status).toBe(400)
    },
  )

  test('A sign-out needs no address, and says that it is done', async () => {
    const page = await issuers.browser().go(`${issuerOf(organization)}/logout`)
    expect(page).toMatchObject({ status: 200 })
    expect(page.html).toContain('You are signed out')
  })
})
