import type { Browser, Page } from 'playwright-core'
import { errorPageFor } from '../../src/ground/http/pages/error-page.ts'
import {
  type Page as Content,
  formPostPage,
  type Language,
  present,
  redirectPage,
} from '../../src/ground/http/pages/index.ts'
import {
  choicePage,
  lostPage,
  lostTestPage,
  testOverPage,
  waitingPage,
} from '../../src/identity/sign-in/sign-in-pages.ts'
import { baseUrl, openBrowser } from './browser.ts'
import { other, service, tenant } from './own-sign-ins.ts'
import { pngOf } from './pictures.ts'
import { ada, providers } from './sign-ins.ts'

type Shown = { headers: Record<string, string>; body: string }
/** Every page that a person sees during a sign-in or a sign-out, in a language, as an organization has it. */
export type Gallery = Record<string, (language: Language) => Shown | Promise<Shown>>

const application = 'Kundenportal für Geschäftspartner'
const home = 'https://app.test/start'
const brand = { accent: '#00695c' }
/** Nobody is there: the browser stays on the page that leads on. */
const nowhere = 'https://app.test/callback?code=x'

/** The tenant of the test gets a look, and two ways to sign in. */
export async function openGallery(): Promise<Gallery> {
  const as = (method: string, path: string, body: unknown) => service.as(tenant.organization, method, path, body)
  await as('PATCH', `/organizations/applications/${tenant.application.clientId}`, { name: application, home_url: home })
  await as('PATCH', '/organizations/sso/oidc/provider-credentials/signet', { label: 'Google' })
  await as('PATCH', '/organizations/settings', {
    branding: { display_name: 'Nordwind Energie', accent_color: brand.accent },
  })
  await tenant.addCredential(providers.okta, { ...other, label: 'Mitarbeiterinnen und Mitarbeiter' })
  const logo = pngOf(160, 40, { color: [0, 105, 92] })
  const { id, apiKey } = tenant.organization
  const headers = { 'service-orgid': id, 'service-api-key': apiKey, 'content-type': 'image/png' }
  await fetch(`${service.baseUrl}/organizations/settings/logo`, { method: 'PUT', headers, body: logo })
  return { ...pagesOfSignIn(await logoPath()), ...(await pagesOfLibrary()), ...errorPages() }
}

const logoPath = async () =>
  new URL((await service.as(tenant.organization, 'GET', '/organizations/settings')).body.result.logo_url).pathname

function pagesOfSignIn(logo: string): Gallery {
  const origin = { name: application, homeUrl: home }
  const show = (page: Content) => (language: Language) =>
    present(page, { language, organization: 'Nordwind Energie', brand: { ...brand, logo } })
  const choices = ['Google', 'Mitarbeiterinnen und Mitarbeiter', 'Donaudampfschifffahrtsgesellschaftskapitäne'].map(
    (label) => ({
      id: '0199a3f2-5c00-7000-8000-0242ac120002',
      client_id: 'x',
      provider: 'provider_a' as const,
      label,
    }),
  )
  return {
    chooser: show(choicePage({ application, choices })),
    'one-moment': show(redirectPage(nowhere)),
    'form-post': show(formPostPage(nowhere, { code: 'x' })),
    waiting: show(waitingPage),
    lost: show(lostPage(origin)),
    'lost-of-unknown': show(lostPage(undefined)),
    'lost-without-home': show(lostPage({ ...origin, homeUrl: null })),
    'test-over': show(testOverPage),
    'test-lost': show(lostTestPage),
  }
}

/** What only the issuer can show: from a service, in each language anew. */
async function pagesOfLibrary(): Promise<Gallery> {
  const issuer = `${baseUrl}/oidc/${tenant.organization.id}`
  const get =
    (url: string | (() => Promise<string>), isSignedIn = false) =>
    async (language: Language) => {
      const browser = openBrowser(
        () => service.baseUrl,
        () => {},
        { 'accept-language': language },
      )
      if (isSignedIn) await tenant.application.signIn(browser, { params: { idp: other.client_id }, person: ada })
      const { headers, html } = await browser.go(typeof url === 'string' ? url : await url())
      return { headers: Object.fromEntries(headers), body: html }
    }
  const elsewhere = `https://elsewhere.example.com/${'lang/'.repeat(30)}`
  return {
    refused: get(async () => (await tenant.application.begin({ redirect_uri: elsewhere })).url),
    'sign-out': get(`${issuer}/logout?client_id=${tenant.application.clientId}`, true),
    'signed-out-of': get(`${issuer}/logout/success?client_id=${tenant.application.clientId}`),
    'signed-out': get(`${issuer}/logout`),
    'sign-out-refused': get(`${issuer}/logout?client_id=unknown`),
  }
}

function errorPages(): Gallery {
  const statuses = { missing: 404, 'bad-request': 400, 'too-many': 429, cookies: 431, fault: 500, unavailable: 503 }
  const show = (status: number) => (language: Language) => {
    const refusal = { path: '/oidc/x/authorize', status, detail: '', requestId: '0199a3f2-5c00-7000-8000-0242ac120002' }
    const page = errorPageFor({ ...refusal, acceptLanguage: language })
    return { headers: page?.headers ?? {}, body: page?.body ?? '' }
  }
  return Object.fromEntries(Object.entries(statuses).map(([name, status]) => [name, show(status)]))
}

/** A tab in which each page of the gallery has an address, with the headers that it comes with. */
export async function hangGallery(browser: Browser, gallery: Gallery): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.route('**/*', async (route) => {
    const { pathname, origin } = new URL(route.request().url())
    if (origin !== baseUrl) return route.abort('aborted')
    if (pathname.startsWith('/sso/logos/'))
      return route.fulfill({ response: await route.fetch({ url: service.baseUrl + pathname }) })
    const [, name = '', language = ''] = pathname.split('/')
    const shown = await gallery[name]?.(language as Language)
    return shown ? route.fulfill({ headers: shown.headers, body: shown.body }) : route.fulfill({ status: 404 })
  })
  return page
}

/** A page that leads on at once never finishes loading. */
export async function visit(page: Page, name: string, language: Language) {
  await page.goto(`${baseUrl}/${name}/${language}`, { waitUntil: 'commit' })
  await page.getByRole('heading', { level: 1 }).waitFor()
}
