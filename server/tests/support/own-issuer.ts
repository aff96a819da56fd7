import { fetchUserInfo, refreshTokenGrant } from 'openid-client'
import { expect } from 'vitest'
import { type Browser, baseUrl, type Page } from './browser.ts'
import { type App, type Issuers, type Request, signedIn, startIssuers, type Tokens } from './issuer.ts'
import type { Organization } from './signet.ts'

/**
 * A service of a test file's own, with one organization, a person in it and two applications. `openIssuer` goes into
 * `beforeAll`, and makes them anew.
 */
export let issuers: Issuers
export let organization: Organization
export let person: string
/** A public application, with PKCE. */
export let app: App
/** A confidential one, without PKCE. */
export let confidential: App

export const openIssuer = () => openIssuerWith({})

export async function openIssuerWith(env: Record<string, string>) {
  issuers = await startIssuers(env)
  organization = await issuers.organization()
  person = await issuers.person(organization, ['crew', 'staff'])
  app = await issuers.app(organization)
  confidential = await issuers.app(organization, { confidential: true, require_pkce: false })
}

export const closeIssuer = () => issuers?.stop()

export const secondMs = 1_000
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

type Asked = { of?: App; as?: string; parameters?: Record<string, string>; browser?: Browser; claims?: object }
type SignedIn = { request: Request; end: URL; browser: Browser }

export async function signIn({ of = app, as = person, parameters, browser, claims }: Asked = {}): Promise<SignedIn> {
  const request = await issuers.request(of, parameters)
  const used = browser ?? issuers.browser()
  const result = signedIn(as, issuers.clock.now(), claims as Record<string, unknown>)
  return { request, end: await issuers.signIn(used, of, request, result), browser: used }
}

export async function tokensOf(options: Asked = {}): Promise<Tokens> {
  const { request, end } = await signIn(options)
  return issuers.exchange(options.of ?? app, request, end)
}

export const offline = { parameters: { scope: 'openid offline_access' } }
export const refresh = ({ refresh_token = '' }: Tokens, { config }: App = app) =>
  refreshTokenGrant(config, refresh_token)
export const userInfo = ({ access_token }: Tokens, { config }: App = app) => fetchUserInfo(config, access_token, person)
export const invalidGrant = expect.objectContaining({ error: 'invalid_grant' })
export const unauthorized = expect.objectContaining({ status: 401 })
export const issuerOf = ({ id }: Organization) => `${baseUrl}/oidc/${id}`

/** How many of these came through; every other one was refused so. */
export async function countFulfilled(works: Promise<unknown>[], refusal: unknown): Promise<number> {
  const settled = await Promise.allSettled(works)
  for (const one of settled) if (one.status === 'rejected') expect(one.reason).toEqual(refusal)
  return settled.filter(({ status }) => status === 'fulfilled').length
}

export const actionIn = ({ html }: Page) => /action="([^"]+)"/.exec(html)?.[1] ?? ''
export const formIn = ({ html }: Page) =>
  Object.fromEntries(
    [...html.matchAll(/name="(\w+)" value="([^"]+)"/g)].map(([, name = '', value = '']) => [name, value]),
  )

export async function signOut(browser: Browser) {
  const page = await browser.go(`${issuerOf(organization)}/logout`)
  const { html } = await browser.go(actionIn(page), { form: { ...formIn(page), logout: 'yes' } })
  expect(html).toContain('You are signed out')
}

/** Straight to the service, as a program that is no browser. */
export const send = (path: string, options: RequestInit = {}) =>
  fetch(`${issuers.address}/oidc/${organization.id}${path}`, { redirect: 'manual', ...options })
