import { createHash, randomBytes } from 'node:crypto'
import { createRemoteJWKSet, customFetch, type decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { application, type Browser, baseUrl, fetchAt, openBrowser, type Page } from '../../support/browser.ts'
import type { Service } from '../../support/service.ts'
import { ada, type SignIns, startSignIns, type Tenant } from '../../support/sign-ins.ts'
import { type Kind, kindOf, plans } from '../modules.ts'

/*
 * What the suite's own client does, by plain HTTP: no PKCE, a nonce and a state of its own making, the secret in the header. It
 * repeats no code of the service and of no library but `jose`, which the service's tokens are checked with.
 */

export const redirectUri = `${application}callback`
export const afterSignOut = `${application}post_logout_redirect`

export type Parameters = Record<string, string | undefined>
type Tokens = { id_token: string; access_token: string; refresh_token?: string; expires_in: number; token_type: string }
export type SignedIn = Tokens & { claims: JWTPayload; header: ReturnType<typeof decodeProtectedHeader>; code: string }
export type Client = { client_id: string; client_secret: string }

export let signIns: SignIns
/** Delivers, as the service of `signIns` does not. */
let service: Service
let tenant: Tenant
export let issuer: string
// biome-ignore lint/suspicious/noExplicitAny: the metadata as it comes, member by member
export let metadata: any
export let client: Client
export let otherClient: Client
/** Of the person who sits at it; each module has a new one. */
let browser: Browser

const at = () => service.baseUrl
export const call = fetchAt(at)
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer, member by member
export const jsonOf = async (answer: Promise<Response>): Promise<any> => (await answer).json()
const person = { ...ada, given_name: 'Ada', family_name: 'Lovelace' }

/** Once for a file: an organization with a provider, and two clients as the suite's configuration names them. */
export function useSuite() {
  beforeAll(async () => {
    signIns = await startSignIns()
    service = await signIns.startNode({ env: { SIGNET_ROLES: 'api,worker' } })
    tenant = await signIns.tenant()
    issuer = `${baseUrl}/oidc/${tenant.organization.id}`
    metadata = await jsonOf(call(`${issuer}/.well-known/openid-configuration`, {}))
    client = await register({ backchannel_logout_uri: signIns.receiver.url('/backchannel_logout') })
    otherClient = await register()
  })
  beforeEach(() => {
    browser = openBrowser(at)
    signIns.clock.set(Date.now())
  })
  afterAll(async () => {
    await service?.stop()
    await signIns?.stop()
  })
}

async function register(others: object = {}): Promise<Client> {
  const { body } = await service.as(tenant.organization, 'POST', '/organizations/applications', {
    name: 'The suite',
    redirect_uris: [redirectUri],
    post_logout_redirect_uris: [afterSignOut],
    confidential: true,
    require_pkce: false,
    require_nonce: false,
    ...others,
  })
  return body.result
}

/** The person gets a number that an admin key vouches for. */
export async function givePhone(personId: string) {
  const path = `/persons/${personId}`
  const { body } = await service.as(tenant.organization, 'GET', path)
  const handles = [...body.result.handles, { type: 'PhoneNumber', value: '+4915112345678', verified: true }]
  await service.as(tenant.organization, 'PATCH', path, { handles })
}

/** A test of the module's name; its outcome is the one that the page has. */
export function mirrors(name: string, run: () => Promise<Kind>) {
  const module = plans.flatMap(({ modules }) => modules).find((each) => each.name === name)
  test(name, async () => expect(await run()).toBe(module && kindOf(module.outcome)))
}

export const afterSeconds = (seconds: number) => signIns.clock.set(signIns.clock.now() + seconds * 1_000)

/** A value of so many characters that are never escaped. */
const random = (length = 10) => randomBytes(length).toString('hex').slice(0, length)

/** An authorize request; a parameter that is undefined is left out. */
export function requestOf(parameters: Parameters = {}, of = client): { url: string; asked: Record<string, string> } {
  const all: Parameters = {
    client_id: of.client_id,
    redirect_uri: redirectUri,
    scope: 'openid',
    state: random(),
    nonce: random(),
    response_type: 'code',
    ...parameters,
  }
  const asked = Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]))
  return { url: `${metadata.authorization_endpoint}?${new URLSearchParams(asked)}`, asked }
}

export const go = (url: string, form?: Record<string, string>): Promise<Page> =>
  browser.go(url, { person, ...(form && { form }) })

/** The query that the browser comes back to the client with. */
export function answerIn({ url, status, html }: Page, asked: Record<string, string>): URLSearchParams {
  if (!url.startsWith(redirectUri)) throw new Error(`${url} answered ${status} ${html}`)
  const answer = new URL(url).searchParams
  expect(answer.get('state')).toBe(asked.state ?? null)
  expect(answer.get('iss') ?? issuer).toBe(issuer)
  return answer
}

/** The error that the client is told; checked as the suite checks any. */
export function errorIn(page: Page, asked: Record<string, string>): string | null {
  const answer = answerIn(page, asked)
  expect(answer.has('code')).toBe(false)
  expect([...answer.keys()].filter((key) => !errorMembers.has(key))).toEqual([])
  expect(answer.get('error_description') ?? '').toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/)
  return answer.get('error')
}
const errorMembers = new Set(['error', 'error_description', 'error_uri', 'state', 'session_state', 'iss'])

const basic = ({ client_id, client_secret }: Client) => ({
  authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
})

export async function askForTokens(form: Record<string, string>, of = client, asPost = false) {
  const body = new URLSearchParams({ ...form, ...(asPost && of) })
  const answer = await call(metadata.token_endpoint, { method: 'POST', body, headers: asPost ? {} : basic(of) })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('cache-control')).toContain('no-store')
  return { status: answer.status, body: await jsonOf(Promise.resolve(answer)) }
}

const keySet = () => createRemoteJWKSet(new URL(metadata.jwks_uri), { [customFetch]: call as never })

/** The checks of every ID token (OpenID Connect Core, 3.1.3.7). */
async function readIdToken(tokens: Tokens, nonce: string | undefined, of: Client) {
  const options = { issuer, audience: of.client_id, currentDate: new Date(signIns.clock.now()) }
  const { payload, protectedHeader } = await jwtVerify(tokens.id_token, keySet(), options)
  expect(payload).toMatchObject({ sub: expect.stringMatching(/^[\x21-\x7e]{1,255}$/), aud: of.client_id })
  expect(payload.nonce).toBe(nonce)
  if (payload.at_hash !== undefined) expect(payload.at_hash).toBe(halfHash(tokens.access_token))
  return { claims: payload, header: protectedHeader }
}

const halfHash = (token: string) => createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')

type How = { of?: Client; asPost?: boolean; more?: Record<string, string> }

/** From the code to tokens, which the user info endpoint takes. */
export async function exchange(code: string, nonce: string | undefined, how: How = {}): Promise<SignedIn> {
  const { of = client, asPost = false, more = {} } = how
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...more }
  const { status, body } = await askForTokens(form, of, asPost)
  expect(status, JSON.stringify(body)).toBe(200)
  const { claims, header } = await readIdToken(body, nonce, of)
  expect((await userInfo(body.access_token)).sub).toBe(claims.sub)
  return { ...body, claims, header, code }
}

/** The whole flow of most modules. `formOf` makes a form of the request, which then comes by POST. */
export async function signIn(parameters: Parameters = {}, how: How & { isPosted?: boolean } = {}): Promise<SignedIn> {
  const { url, asked } = requestOf(parameters, how.of)
  const page = how.isPosted ? await go(metadata.authorization_endpoint, asked) : await go(url)
  const answer = answerIn(page, asked)
  expect(answer.get('error_description')).toBeNull()
  return exchange(answer.get('code') ?? '', asked.nonce, how)
}

/** No page stops a browser whose request a session answers. */
export async function continueSession(parameters: Parameters): Promise<SignedIn> {
  const { url, asked } = requestOf(parameters)
  const page = await browser.go(url, { stopAt: /\/sso\// })
  return exchange(answerIn(page, asked).get('code') ?? '', asked.nonce)
}

export async function userInfo(accessToken: string, how: 'get' | 'post' | 'form' = 'get') {
  const headers = { authorization: `Bearer ${accessToken}` }
  const body = new URLSearchParams({ access_token: accessToken })
  const options = { get: { headers }, post: { method: 'POST', headers }, form: { method: 'POST', body } }[how]
  const answer = await call(metadata.userinfo_endpoint, options)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  return jsonOf(Promise.resolve(answer))
}

/** The claims that each scope asks for (OpenID Connect Core, 5.4), as the suite lists them. */
const profile =
  'name given_name family_name middle_name nickname profile picture website gender birthdate zoneinfo locale'
const claimsOfScopes: Record<string, string[]> = {
  openid: ['sub'],
  profile: `${profile} updated_at preferred_username`.split(' '),
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  address: ['address'],
}

/** Skipped where the metadata does not have the scopes, as the suite does; a claim that is missing is worth a warning. */
export async function askForScope(scope: string): Promise<Kind> {
  const scopes = scope.split(' ')
  if (!scopes.every((each) => metadata.scopes_supported.includes(each))) return 'skipped'
  const { access_token, claims } = await signIn({ scope })
  const info = await userInfo(access_token)
  expect(info.sub).toBe(claims.sub)
  for (const [claim, type] of Object.entries(typesOfClaims)) expect([type, 'undefined']).toContain(typeof info[claim])
  const wanted = scopes.flatMap((each) => claimsOfScopes[each] ?? [])
  return wanted.every((claim) => claim in info) ? 'passed' : 'warning'
}

const typesOfClaims = {
  name: 'string',
  given_name: 'string',
  family_name: 'string',
  preferred_username: 'string',
  picture: 'string',
  locale: 'string',
  updated_at: 'number',
  email: 'string',
  email_verified: 'boolean',
  phone_number: 'string',
  phone_number_verified: 'boolean',
}

/** Asks for a sign-out, and confirms it where a page asks. */
export async function signOut(parameters: Parameters): Promise<Page> {
  const asked = Object.fromEntries(Object.entries(parameters).filter((entry): entry is [string, string] => !!entry[1]))
  const page = await browser.go(`${metadata.end_session_endpoint}?${new URLSearchParams(asked)}`)
  const action = /action="([^"]+)"/.exec(page.html)?.[1]
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.html)?.[1]
  return action && xsrf ? browser.go(action, { form: { xsrf, logout: 'yes' } }) : page
}

/** The browser has no session that a request could use without a page. */
export async function expectEnded() {
  const { url, asked } = requestOf({ prompt: 'none' })
  expect(errorIn(await go(url), asked)).toMatch(/^(interaction|login|account_selection|consent)_required$/)
}
