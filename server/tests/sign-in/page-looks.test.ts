import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { application, type Browser, baseUrl, openBrowser } from '../support/browser.ts'
import {
  as,
  callback,
  closeSignIns,
  newTenant,
  openSignIns,
  other,
  service,
  signIns,
  tenant,
} from '../support/own-sign-ins.ts'
import { optionsIn } from '../support/page-sign-ins.ts'
import { jpegOf, pngOf, pngSignature, pngThatSays, webpOf } from '../support/pictures.ts'
import { refused } from '../support/refused.ts'
import { ada, providers } from '../support/sign-ins.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(async () => {
  await newTenant({ name: '株式会社' })
  await tenant.addCredential(providers.okta, { ...other, label: '社員' })
  await as('PATCH', `/organizations/applications/${tenant.application.clientId}`, { name: 'アプリ', home_url: home })
})

const home = 'https://app.test/start'
const settings = '/organizations/settings'
const logoUrl = `${settings}/logo`
const languageOf = (html: string) => /<html lang="(\w+)">/.exec(html)?.[1]
const headingOf = (html: string) => /<h1>(.*)<\/h1>/.exec(html)?.[1]
const reading = (language: string): Browser =>
  openBrowser(
    () => service.baseUrl,
    () => {},
    { 'accept-language': language },
  )
const issuer = () => `${baseUrl}/oidc/${tenant.organization.id}`

const putLogo = (body: Uint8Array, { type = 'image/png', path = logoUrl, organization = tenant.organization } = {}) =>
  fetch(service.baseUrl + path, {
    method: 'PUT',
    headers: { 'service-orgid': organization.id, 'service-api-key': organization.apiKey, 'content-type': type },
    body: Buffer.from(body),
  })
const logoIn = async () => new URL((await as('GET', settings)).body.result.logo_url).pathname

describe('The language of a page', () => {
  const begun = async (browser: Browser, params = {}) => browser.go((await tenant.application.begin(params)).url)

  test.each([
    ['de', 'Bei 株式会社 anmelden'],
    ['fr', 'Se connecter à 株式会社'],
    ['es', 'Iniciar sesión en 株式会社'],
    ['ja', '株式会社 にサインイン'],
    ['en', 'Sign in to 株式会社'],
  ])(
    'The language %s is that of the browser, and of the application where that asks for it',
    async (language, title) => {
      const [byBrowser, byApplication] = [reading(`${language}-XX,en;q=0.1`), reading('xx')]
      for (const page of [await begun(byBrowser), await begun(byApplication, { ui_locales: `xx ${language}` })]) {
        expect([languageOf(page.html), headingOf(page.html)]).toEqual([language, title])
        expect(page.headers.get('vary')).toContain('Accept-Language')
      }
    },
  )

  test("The organization's language is that of pages for which nobody names another", async () => {
    await as('PATCH', settings, { default_locale: 'fr' })
    expect(languageOf((await begun(reading('xx'))).html)).toBe('fr')
    expect(languageOf((await begun(reading('de'))).html)).toBe('de')
    expect(languageOf((await begun(reading('de'), { ui_locales: 'ja' })).html)).toBe('ja')
  })

  test('The language that the application asked for lasts to the end, also of a callback that comes too late', async () => {
    const page = await begun(reading('en'), { ui_locales: 'de' })
    const late = await reading('en').go(page.url)
    expect([languageOf(late.html), headingOf(late.html)]).toEqual([
      'de',
      'Diese Anmeldung kann nicht fortgesetzt werden',
    ])
    const browser = reading('en')
    const started = await begun(browser, { ui_locales: 'de' })
    const form = { credential: optionsIn(started.html)[0]?.id ?? '' }
    const back = await browser.go(started.url, { form, person: ada, stopAt: callback })
    const end = await browser.go(back.url)
    expect(end.url).toContain(`${application}callback`)
    const again = await browser.go(back.url)
    expect([again.status, languageOf(again.html)]).toEqual([400, 'de'])
  })

  test('A hostile wish for a language neither fails nor is repeated', async () => {
    const long = 'x-'.repeat(5_000)
    for (const ui_locales of [long, '__proto__', 'constructor toString', '<script>', '\u202e'])
      expect(languageOf((await begun(reading(`${long.slice(0, 9_000)},__proto__`), { ui_locales })).html)).toBe('en')
    const { html } = await begun(reading('en'), { ui_locales: '<script>alert(1)</script>' })
    expect(html).not.toContain('alert')
  })

  test('Discovery says which languages there are', async () => {
    const answer = await fetch(`${service.baseUrl}/oidc/${tenant.organization.id}/.well-known/openid-configuration`)
    const document = (await answer.json()) as Record<string, unknown>
    expect(document.ui_locales_supported).toEqual(['en', 'de', 'fr', 'es', 'ja'])
    expect(document.response_modes_supported).toEqual(expect.arrayContaining(['query', 'form_post']))
  })

  test('A sign-out stays in the language of the application, on every page of it', async () => {
    const browser = reading('en')
    await tenant.application.signIn(browser, { params: { idp: other.client_id }, person: ada })
    const asked = await browser.go(`${issuer()}/logout?ui_locales=es`)
    expect(headingOf(asked.html)).toBe('¿Cerrar sesión?')
    const [, action = ''] = /action="([^"]+)"/.exec(asked.html) ?? []
    const fields = Object.fromEntries(
      [...asked.html.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    )
    const ended = await browser.go(action, { form: { ...fields, logout: 'yes' } })
    expect(headingOf(ended.html)).toBe('Ha cerrado sesión')
    const posted = await reading('en').go(`${issuer()}/logout`, { form: { ui_locales: 'fr' } })
    expect(posted.html).toContain('name="ui_locales" value="fr"')
    expect(languageOf(posted.html)).toBe('fr')
  })
})

/** What a person reads, without what others named. */
function wordsOf(html: string): string {
  const [, main = ''] = /<main>(.*)<\/main>/s.exec(html) ?? []
  const labels = [...main.matchAll(/(?:aria-label|alt|title)="([^"]*)"/g)].map(([, label]) => label).join(' ')
  const [, title = ''] = /<title>(.*)<\/title>/.exec(html) ?? []
  return `${title} ${labels} ${main.replace(/<p class="quiet" lang="en">.*?<\/p>/gs, '').replace(/<[^>]+>/g, ' ')}`
}

test('No page has a sentence that is not of the language of the page', async () => {
  const browser = reading('ja')
  await as('PATCH', `/organizations/sso/oidc/provider-credentials/signet`, { label: '顧客' })
  const begin = async (params = {}) => (await tenant.application.begin(params)).url
  const chooser = await browser.go(await begin())
  const unknown = '00000000-0000-7000-8000-000000000000'
  const pages = [
    chooser,
    await reading('ja').go(chooser.url),
    await browser.go(await begin({ redirect_uri: 'https://elsewhere.example.com/' })),
    await browser.go(`${issuer()}/authorize?client_id=${unknown}`),
    await browser.go(`${issuer()}/authorize/${'x'.repeat(43)}`),
    await browser.go(`${issuer()}/logout`),
    await browser.go(`${issuer()}/logout?client_id=${tenant.application.clientId}`),
    await browser.go(`${issuer()}/logout?client_id=${unknown}`),
    await browser.go(`${issuer()}/logout`, { form: {} }),
    await browser.go(`${issuer()}/logout/success?client_id=${tenant.application.clientId}`),
    await browser.go(`${issuer()}/nothing`, {}),
    await browser.go(`${baseUrl}/sso/nothing`),
    await browser.go(`${baseUrl}/sso/callback/${unknown}`),
    await browser.go(`${baseUrl}/sso/tests/${tenant.organization.id}/x`),
    await browser.go(`${issuer()}/authorize?x=${'x'.repeat(25_000)}`),
  ].filter(({ headers }) => headers.get('content-type')?.startsWith('text/html'))
  expect(pages.length).toBeGreaterThan(12)
  const address = /https:\/\/elsewhere\.example\.com\//g
  for (const { url, html } of pages) {
    const words = wordsOf(html)
      .replace(address, '')
      .replace(/Cookie/g, '')
    expect({ url, language: languageOf(html), foreign: words.match(/[a-z]{2,}/gi) }).toEqual({
      url,
      language: 'ja',
      foreign: null,
    })
  }
})

describe('Where a sign-in ends', () => {
  const linkIn = (html: string) => /<a class="button first" href="([^"]*)">([^<]*)</.exec(html)?.slice(1)

  test('A callback that was used, or is unknown, offers to sign in again at the one application', async () => {
    const { url } = await tenant.application.begin({ idp: other.client_id })
    const browser = reading('en')
    const back = await browser.go(url, { person: ada, stopAt: callback })
    await browser.go(back.url)
    const state = `${tenant.organization.id.replaceAll('-', '')}${'0'.repeat(64)}`
    for (const again of [back.url, `${tenant.callbackUrl.replace(service.baseUrl, baseUrl)}?state=${state}&code=x`]) {
      const page = await browser.go(again)
      expect([page.status, linkIn(page.html)]).toEqual([400, [home, 'Sign in again']])
      expect(page.html).toContain('アプリ')
    }
  })

  test('A page of a request that is over leads to its own application, of several', async () => {
    await as('POST', '/organizations/applications', {
      name: 'Other',
      redirect_uris: ['https://other.test/'],
      home_url: 'https://other.test/',
    })
    const chooser = await reading('en').go((await tenant.application.begin()).url)
    expect(linkIn((await reading('en').go(chooser.url)).html)).toEqual([home, 'Sign in again'])
    const used = chooser.url.replace(
      `/sso/flows/${tenant.organization.id}/`,
      `/oidc/${tenant.organization.id}/authorize/`,
    )
    expect(linkIn((await reading('en').go(used)).html)).toEqual([home, 'Sign in again'])
    const state = `${tenant.organization.id.replaceAll('-', '')}${'0'.repeat(64)}`
    const unknown = await reading('en').go(
      `${tenant.callbackUrl}?state=${state}&code=x`.replace(service.baseUrl, baseUrl),
    )
    expect(linkIn(unknown.html)).toBeUndefined()
    expect(unknown.html).toContain('go back to the application that you came from')
  })

  test('A page leads nowhere but to the address that is registered', async () => {
    const evil = 'https://evil.example.com/'
    const { url } = await tenant.application.begin({ redirect_uri: evil, home_url: evil })
    const refusal = await reading('en').go(url)
    expect(linkIn(refusal.html)).toEqual([home, 'Back to アプリ'])
    expect(refusal.html).not.toContain(`href="${evil}`)
    await as('PATCH', `/organizations/applications/${tenant.application.clientId}`, { home_url: null })
    await expect.poll(async () => linkIn((await reading('en').go(url)).html)).toBeUndefined()
    expect((await reading('en').go(url)).html).toContain('go back to アプリ')
  })

  test('A person who signed out is offered the way back to the application', async () => {
    const page = await reading('en').go(`${issuer()}/logout?client_id=${tenant.application.clientId}`)
    expect([headingOf(page.html), linkIn(page.html)]).toEqual([
      'You are signed out of アプリ',
      [home, 'Back to アプリ'],
    ])
  })
})

describe('A form post', () => {
  const posted = (params = {}) =>
    tenant.application.begin({ response_mode: 'form_post', idp: other.client_id, ...params })
  const valueIn = (html: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1]

  test('A form post is a page of ours, with a policy for that one application, and a button', async () => {
    const begun = await posted({ ui_locales: 'de' })
    const page = await reading('en').go(begun.url, { person: ada })
    expect([page.status, languageOf(page.html), headingOf(page.html)]).toEqual([200, 'de', 'Einen Moment bitte'])
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*form-action https:\/\/app\.test;/,
    )
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.html).toContain('<form method="post" action="https://app.test/callback">')
    expect(page.html).toContain('<button class="button" type="submit">Weiter</button>')
    const answer = new URLSearchParams()
    for (const name of ['code', 'state', 'iss']) answer.set(name, valueIn(page.html, name) ?? '')
    const { sub } = await tenant.application.finish(begun, `${application}callback?${answer}`)
    expect(sub).toMatch(/./)
  })

  test('A form post of an error is as good a page', async () => {
    const page = await reading('en').go((await posted({ prompt: 'none' })).url)
    expect([page.status, valueIn(page.html, 'error')]).toEqual([200, 'login_required'])
    const hostile = await reading('en').go((await posted({ prompt: 'none', state: '"><script>alert(1)</script>' })).url)
    expect(hostile.html).not.toContain('<script>alert')
  })
})

describe('The look of an organization', () => {
  const page = async () => (await reading('en').go((await tenant.application.begin()).url)) ?? ''

  test('The look has the name, the colour and the picture that were set, and only then any', async () => {
    const plain = await page()
    expect(plain.html).not.toMatch(/class="brand"|--accent:/)
    expect(plain.headers.get('content-security-policy')).not.toContain('img-src')
    await as('PATCH', settings, { branding: { display_name: 'Acme & <b>', accent_color: '#FFCC00' } })
    expect((await putLogo(pngOf(40, 20))).status).toBe(200)
    const { html, headers } = await page()
    expect(headingOf(html)).toBe('Sign in to Acme &amp; &lt;b&gt;')
    expect(html).toContain(`<img src="${await logoIn()}" alt="Acme &amp; &lt;b&gt;">`)
    expect(html).toContain('--accent: #ffcc00; --on-accent: #000000')
    expect(headers.get('content-security-policy')).toContain("img-src 'self';")
    const refusal = await reading('en').go(`${issuer()}/logout?client_id=unknown`)
    expect(refusal.html).toContain('class="brand"')
  })

  test.each([
    [{ accent_color: 'red; } body { display: none' }, 'branding.accent_color: must be a colour as #rrggbb'],
    [{ accent_color: '#fff' }, 'branding.accent_color: must be a colour as #rrggbb'],
    [{ accent_color: '#ffffff\n' }, 'branding.accent_color: must be a colour as #rrggbb'],
    [
      { display_name: 'Acme\u202e' },
      'branding.display_name: must not contain control or format characters, such as line breaks',
    ],
    [
      { display_name: 'Acme\nGoogle' },
      'branding.display_name: must not contain control or format characters, such as line breaks',
    ],
    [{ display_name: '' }, 'branding.display_name: must be 1 to 200 characters'],
    [{ logo: 'x' }, 'branding.logo: is not a known field'],
  ])('The look %j is refused', async (branding, message) => {
    expect(await as('PATCH', settings, { branding })).toMatchObject(refused(400, message))
    expect((await as('GET', settings)).body.result.branding).toEqual({})
  })

  test('The look is replaced as a whole, by admin keys alone, and is in the audit log', async () => {
    const { body } = await as('POST', '/organizations/api-keys', { scopes: ['settings:write'] })
    const narrow = { ...tenant.organization, apiKey: body.result.api_key }
    const change = (branding: unknown) => as('PATCH', settings, { branding })
    expect((await service.as(narrow, 'PATCH', settings, { branding: { display_name: 'Google' } })).status).toBe(403)
    expect((await service.as(narrow, 'PATCH', settings, { default_locale: 'de' })).status).toBe(200)
    expect((await putLogo(pngOf(1, 1), { organization: narrow })).status).toBe(403)
    expect((await change({ display_name: 'Acme', accent_color: '#0b57d0' })).status).toBe(200)
    expect((await change({ display_name: 'Acme 2' })).body.result.branding).toEqual({ display_name: 'Acme 2' })
    expect((await change(null)).body.result.branding).toEqual({})
    await putLogo(pngOf(1, 1))
    const [entry] = (await as('GET', '/organizations/audit-log')).body.result
    expect(entry).toMatchObject({ action: 'changeLogo', after: { logo_url: expect.stringMatching(/\/sso\/logos\//) } })
    expect(await as('PATCH', settings, { default_locale: '__proto__' })).toMatchObject(
      refused(400, 'default_locale: must be one of en, de, fr, es, ja, or null'),
    )
  })

  test('Names that a person is shown have no control and no format characters, and old ones are shown without', async () => {
    const rule = 'must not contain control or format characters, such as line breaks'
    const applications = `/organizations/applications/${tenant.application.clientId}`
    for (const name of ['A\nB', 'A\u202eB', 'A\u2028B', 'A\u200bB', 'A\u0007B']) {
      expect(await as('PATCH', applications, { name })).toMatchObject(refused(400, `name: ${rule}`))
      const path = '/organizations/sso/oidc/provider-credentials/signet'
      expect(await as('PATCH', path, { label: name })).toMatchObject(refused(400, `label: ${rule}`))
      const link = { provider: 'provider_a', label: name }
      const links = '/organizations/sso/oidc/credential-links'
      expect(await as('POST', links, link)).toMatchObject(refused(400, `label: ${rule}`))
      const organization = `/organizations/${tenant.organization.id}`
      expect(await service.operate('PATCH', organization, { name })).toMatchObject(refused(400, `name: ${rule}`))
    }
    const { inside } = signIns
    await inside.query("update oidc_credentials set label = E'Sta\\u202eff\\nGoogle' where org_id = $1", [
      tenant.organization.id,
    ])
    await inside.query("update organizations set name = E'Ac\\u202eme' where id = $1", [tenant.organization.id])
    const { html } = await page()
    expect(headingOf(html)).toBe('Sign in to Acme')
    expect(optionsIn(html).map(({ label }) => label)).toEqual(['Staff Google', 'Staff Google'])
  })
})

describe('The logo', () => {
  test.each([
    ['PNG', pngOf(1_024, 1_024), 'image/png'],
    ['JPEG', jpegOf(300, 200), 'image/jpeg'],
    ['WebP', webpOf.lossy(300, 200), 'image/webp'],
  ])('The logo may be a %s, by its bytes, whatever it is called', async (_, bytes, type) => {
    expect((await putLogo(bytes, { type: 'application/octet-stream' })).status).toBe(200)
    const answer = await fetch(service.baseUrl + (await logoIn()))
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
  })

  const html = Buffer.from('<html><script>alert(1)</script>')
  test.each([
    ['HTML', html, 400, /^body: must be a PNG, JPEG or WebP picture$/],
    ['HTML with the head of a PNG', Buffer.concat([pngSignature, html]), 400, /from its first byte to its last/],
    ['a PNG with HTML after it', Buffer.concat([pngOf(2, 2), html]), 400, /with nothing after it/],
    ['a PNG of 1,025 pixels', pngThatSays(1_025, 1), 400, /1 to 1024 pixels/],
    ['a PNG of no pixels', pngThatSays(0, 1), 400, /1 to 1024 pixels/],
    ['a WebP of 30,000 pixels', webpOf.extended(30_000, 10), 400, /1 to 1024 pixels/],
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      400,
      /PNG, JPEG or WebP/,
    ],
    ['nothing', Buffer.alloc(0), 400, /^body: is required$/],
    [
      'more than 100 KiB',
      pngOf(2, 2, { more: [['teXt', Buffer.alloc(102_400)]] }),
      413,
      /^body: must be at most 100 KiB$/,
    ],
  ])('The logo may not be %s, and the one before stays', async (_, bytes, status, message) => {
    await putLogo(pngOf(1, 1))
    const before = await logoIn()
    const answer = await putLogo(bytes)
    const { errors } = (await answer.json()) as { errors: { message: string }[] }
    expect([answer.status, errors[0]?.message]).toEqual([status, expect.stringMatching(message)])
    expect(await logoIn()).toBe(before)
  })

  test('The logo is no SVG by its media type either, nor JSON', async () => {
    for (const type of ['image/svg+xml', 'application/json', 'text/html']) {
      const answer = await putLogo(pngOf(1, 1), { type })
      expect([answer.status, await answer.text()]).toEqual([
        415,
        expect.stringContaining('image/png or image/jpeg or image/webp'),
      ])
    }
  })

  test('The logo is a picture and nothing else to a browser, also of a file that is two things', async () => {
    const polyglot = pngOf(2, 2, { more: [['tEXt', html]] })
    expect((await putLogo(polyglot)).status).toBe(200)
    const path = await logoIn()
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await fetch(service.baseUrl + path, { method })
      expect(status).toBe(200)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(polyglot.length),
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=31536000, immutable',
      })
    }
    const etag = `"${path.split('/').at(-1)}"`
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await fetch(service.baseUrl + path, { headers: { 'if-none-match': known } })
      expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0])
    }
    expect((await fetch(service.baseUrl + path, { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
    expect((await fetch(service.baseUrl + path, { method: 'POST' })).status).toBe(404)
  })

  test('The logo is at an address of its own organization and its own bytes', async () => {
    await putLogo(pngOf(1, 1))
    const path = await logoIn()
    const own = tenant.organization.id
    await newTenant()
    await putLogo(pngOf(2, 2))
    const others = await logoIn()
    expect((await fetch(service.baseUrl + path)).status).toBe(200)
    for (const wrong of [others.replace(tenant.organization.id, own), path.replace(own, 'x'), `${path}x`])
      expect((await fetch(service.baseUrl + wrong)).status).toBe(404)
  })

  test('The logo goes when it is deleted, and with the organization', async () => {
    expect((await as('DELETE', logoUrl)).status).toBe(404)
    await putLogo(pngOf(1, 1))
    const path = await logoIn()
    expect((await as('DELETE', logoUrl)).status).toBe(204)
    expect((await fetch(service.baseUrl + path)).status).toBe(404)
    expect((await as('GET', settings)).body.result).not.toHaveProperty('logo_url')
    await putLogo(pngOf(1, 1))
    await service.operate('DELETE', `/organizations/${tenant.organization.id}`)
    expect((await fetch(service.baseUrl + path)).status).toBe(404)
  })
})

test('A sign-in that is cancelled goes back to the application, in every language', async () => {
  const browser = reading('ja')
  const chooser = await browser.go((await tenant.application.begin()).url)
  const end = await browser.go(chooser.url, { form: { cancel: 'yes' } })
  expect(errorIn(end)).toBe('access_denied')
})
