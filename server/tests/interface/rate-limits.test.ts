import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

/** Of an address; one more in a minute. */
const twoAtOnce = '1/2'
/** Of an organization; while a slow machine asks, some may come back. */
const ofOrganization = { min: 20, max: 100 }

let signet: Signet
let organization: Organization
let addresses = 0

beforeAll(async () => {
  const rates = { SIGNET_RATE_SIGN_IN: twoAtOnce, SIGNET_RATE_TOKEN: twoAtOnce }
  signet = await startOwnSignet({ env: { ...rates, SIGNET_TRUSTED_PROXIES: '127.0.0.1' } })
  organization = await signet.organization()
})

afterAll(() => signet?.stop())

const newAddress = () => `198.51.${++addresses >> 8}.${addresses & 255}`
const ask = (path: string, address: string, method = 'GET') =>
  fetch(`${signet.baseUrl}${path}`, { method, redirect: 'manual', headers: { 'x-forwarded-for': address } })

/** What of these asked one after the other is answered. */
async function askEach(paths: string[], from: string | string[], method?: string) {
  const answers = []
  for (const [index, path] of paths.entries())
    answers.push(await ask(path, typeof from === 'string' ? from : (from[index] ?? ''), method))
  return answers
}
const isRefused = (answers: Response[]) => answers.map(({ status }) => status === 429)

const issuer = (id = organization.id) => `/oidc/${id}`
const browsers: [string, string][] = [
  ['GET', '/authorize'],
  ['GET', '/authorize/some-uid'],
  ['GET', '/logout'],
  ['POST', '/logout/confirm'],
  ['GET', '/logout/success'],
]
const applications: [string, string][] = [
  ['POST', '/token'],
  ['GET', '/userinfo'],
  ['POST', '/revoke'],
  ['GET', '/jwks'],
  ['GET', '/.well-known/openid-configuration'],
]

describe('A client address that asks too often (2)', () => {
  // Proves sign-in/10.
  test.each(browsers)(
    'A browser that asks %s %s of an issuer too often gets a page that says when to come again',
    async (method, path) => {
      const answers = await askEach(Array(3).fill(issuer() + path), newAddress(), method)
      expect(isRefused(answers)).toEqual([false, false, true])
      expect(answers[2]?.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(answers[2]?.headers.get('content-type')).toContain('text/html')
      expect(await answers[2]?.text()).toContain('Too many sign-ins')
    },
  )

  // Proves sign-in/10.
  test.each(applications)(
    'An application that asks %s %s of an issuer too often gets an OAuth error that says when to come again',
    async (method, path) => {
      const answers = await askEach(Array(3).fill(issuer() + path), newAddress(), method)
      expect(isRefused(answers)).toEqual([false, false, true])
      expect(answers[2]?.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await answers[2]?.json()).toEqual({
        error: 'temporarily_unavailable',
        error_description: expect.stringContaining('rate limit'),
      })
    },
  )

  // Proves sign-in/10.
  test.each([
    ['a flow', () => `/sso/flows/${organization.id}/some-uid`],
    ['a callback', () => `/sso/callback/${organization.id}`],
  ])(
    'A browser that asks for the page of %s too often gets a page that says when to come again',
    async (_name, path) => {
      const answers = await askEach(Array(3).fill(path()), newAddress())
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 429])
      expect(answers[2]?.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await answers[2]?.text()).toContain('Too many sign-ins')
    },
  )

  // Proves sign-in/11.
  test('A client address is limited whatever it asks for: ids in upper case, made-up ones, those of other organizations', async () => {
    const other = await signet.organization()
    const [made, upper] = ['0190a5a0-0000-7000-8000-00000000000', organization.id.toUpperCase()]
    const uid = '/some-uid'
    for (const paths of [
      [`/sso/flows/${organization.id}${uid}`, `/sso/flows/${other.id}${uid}`, `/sso/flows/${upper}${uid}`],
      [`/sso/callback/${made}1`, `/sso/callback/${made}2`, `/sso/callback/no-uuid`],
      [`${issuer(`${made}1`)}/authorize`, `${issuer(upper)}/authorize`, `${issuer(other.id)}/authorize`],
      [`${issuer(`${made}1`)}/jwks`, `${issuer(upper)}/jwks`, `${issuer(other.id)}/jwks`],
    ])
      expect(isRefused(await askEach(paths, newAddress()))).toEqual([false, false, true])
  })

  // Proves sign-in/11.
  test('A client address is limited with all addresses of its IPv6 network, and no others', async () => {
    const paths = Array(4).fill(`${issuer()}/authorize`)
    const from = ['2001:db8::1', '2001:DB8:0:0:1::', '2001:db8::2', '2001:db8:0:1::1']
    expect(isRefused(await askEach(paths, from))).toEqual([false, false, true, false])
  })

  test('A client address that is limited for sign-ins is not limited for tokens', async () => {
    const address = newAddress()
    await askEach(Array(2).fill(`${issuer()}/authorize`), address)
    expect(isRefused(await askEach([`${issuer()}/authorize`, `${issuer()}/jwks`], address))).toEqual([true, false])
  })
})

describe('An organization that is asked too often', () => {
  // Proves sign-in/10.
  test.each(['/authorize', '/jwks'])(
    'An organization is limited for requests from many addresses, and no other one is: %s',
    async (path) => {
      const [busy, quiet] = [await signet.organization(), await signet.organization()]
      let answered = 0
      while (answered < ofOrganization.max && (await ask(`${issuer(busy.id)}${path}`, newAddress())).status !== 429)
        answered++
      expect(answered).toBeGreaterThanOrEqual(ofOrganization.min)
      expect(answered).toBeLessThan(ofOrganization.max)
      expect(isRefused([await ask(`${issuer(quiet.id)}${path}`, newAddress())])).toEqual([false])
    },
  )
})
