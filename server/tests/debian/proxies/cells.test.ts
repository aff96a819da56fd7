import { join } from 'node:path'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../../support/browser.ts'
import { runCommand } from '../../support/command-line.ts'
import { pngOf, sendBytes } from '../../support/pictures.ts'
import { temporaryFolder } from '../../support/program.ts'
import type { Organization } from '../../support/signet.ts'
import { type Cells, startCells } from './support/cells.ts'

const life = new AsyncDisposableStack()
let cells: Cells
let first: Organization
let second: Organization

beforeAll(async () => {
  cells = await startCells(life)
  first = await cells.one.organization()
  second = await cells.two.organization()
  await cells.route([second])
})

afterAll(() => life.disposeAsync())

const redirectUri = 'https://app.test/callback'

/** By the router only, with an unchanged client library. */
async function signIn(organization: Organization) {
  const { client, provider } = cells
  await client.as(organization, 'POST', '/organizations/sso/oidc/provider-credentials', provider)
  const { body } = await client.as(organization, 'POST', '/organizations/applications', {
    name: 'An application',
    redirect_uris: [redirectUri],
    confidential: true,
  })
  const issuer = new URL(`${client.baseUrl}/oidc/${organization.id}`)
  const config = await openid.discovery(issuer, body.result.client_id, body.result.client_secret)
  const checks = {
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
    pkceCodeVerifier: openid.randomPKCECodeVerifier(),
    idTokenExpected: true,
  }
  const start = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
  })
  const browser = openBrowser(() => client.baseUrl)
  const page = await browser.go(start.href)
  const end = await browser.go(page.url, { form: { email: 'ada@example.com', name: 'Ada' } })
  const tokens = await openid.authorizationCodeGrant(config, new URL(end.url), checks)
  return { config, tokens, clientSecret: body.result.client_secret as string }
}

test('The router sends each organization to its cell, by header, path and key', async () => {
  const { client } = cells
  for (const organization of [first, second]) {
    expect((await client.as(organization, 'GET', '/organizations/settings')).status).toBe(200)
    const upper = { ...organization, id: organization.id.toUpperCase() }
    expect((await client.as(upper, 'GET', '/organizations/settings')).status).toBe(200)
    const keySet = `/organizations/${organization.id}/webhooks/verification-jwks`
    expect((await client.call('GET', keySet)).status).toBe(200)
    expect((await client.call('GET', `/oidc/${organization.id}/.well-known/openid-configuration`)).status).toBe(200)
    const metadata = `/.well-known/oauth-authorization-server/oidc/${organization.id}`
    expect((await client.call('GET', metadata)).status).toBe(200)
    const withoutHeader = { 'Service-API-Key': organization.apiKey }
    const refused = await client.call('GET', '/organizations/settings', withoutHeader)
    expect(refused.body.errors[0].message).toBe('Service-OrgID: is required')
  }
  expect((await cells.one.as(second, 'GET', '/organizations/settings')).status).toBe(401)
})

test('The router sends a person who signs in back to the cell where that began', async () => {
  for (const organization of [first, second]) {
    const { tokens } = await signIn(organization)
    expect(tokens.claims()?.org_id).toBe(organization.id)
  }
})

test('The router sends a browser that loads a logo to the cell of its organization', async () => {
  const { client } = cells
  for (const { id, apiKey } of [first, second]) {
    const headers = { 'Service-OrgID': id, 'Service-API-Key': apiKey }
    const sent = await sendBytes(`${client.baseUrl}/organizations/settings/logo`, { headers, bytes: pngOf(4, 4) })
    expect(sent.status).toBeLessThan(300)
    const { body } = await client.as({ id, apiKey }, 'GET', '/organizations/settings')
    expect((await fetch(body.result.logo_url)).status).toBe(200)
  }
})

test('The router sends the console, and the links for a credential, to their cell', async () => {
  const { client } = cells
  const ownPage = { 'Service-Console': '1', 'Sec-Fetch-Site': 'same-origin' }
  const cookies: string[] = []
  for (const { id, apiKey } of [first, second]) {
    const begun = await client.call('POST', '/console/session', ownPage, { organization_id: id, api_key: apiKey })
    expect([begun.status, begun.body]).toEqual([204, undefined])
    cookies.push(begun.headers.get('set-cookie')?.split(';')[0] ?? '')
    const page = { ...ownPage, 'Service-OrgID': id, cookie: cookies.join('; ') }
    const session = await client.call('GET', '/console/session', page)
    expect([session.status, session.body.result.organization_id]).toEqual([200, id])
    const opened = { ...page, 'Service-Console': session.body.result.id }
    expect((await client.call('GET', '/organizations/settings', opened)).status).toBe(200)
    expect((await client.call('GET', '/console/sessions', page)).body.result).toMatchObject([{ organization_id: id }])
    const link = await client.as({ id, apiKey }, 'POST', '/organizations/sso/oidc/credential-links', {
      provider: 'provider_a',
    })
    expect(link.status).toBe(201)
    const token = new URL(link.body.result.url).hash.slice(1)
    expect((await client.call('POST', '/console/link', {}, { token })).status).toBe(200)
  }
})

test('The router answers preflights of page events, and the cell judges their origin', async () => {
  const { client } = cells
  await client.as(second, 'POST', '/organizations/applications', {
    name: 'A page',
    redirect_uris: ['https://page.test/'],
  })
  const send = (method: string, origin: string, body?: object) =>
    client.call(method, '/sdk/events', { origin, ...(body && { 'Service-OrgID': second.id }) }, body)
  const event = { event_name: 'VirtualPageLoaded_v1', window_location: 'https://page.test/' }
  const preflight = await send('OPTIONS', 'https://page.test')
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, 'https://page.test'])
  expect((await send('POST', 'https://page.test', event)).status).toBe(202)
  expect((await send('POST', 'https://foreign.test', event)).status).toBe(403)
})

test('An organization that moves behind the router keeps its sessions and tokens', async (context) => {
  const { config, tokens } = await signIn(first)
  const file = join(temporaryFolder(context), 'organization')
  const step = async (cell: 0 | 1, ...args: string[]) => {
    const { code, output } = await runCommand(context, ['move', ...args], cells.settings[cell])
    expect([code, output]).toEqual([0, expect.any(String)])
    return /^(?:Receipt|Start code): (\w+)$/m.exec(output)?.[1] ?? ''
  }
  await step(0, 'out', first.id, file)
  const authorize = `${cells.client.baseUrl}/oidc/${first.id}/authorize?client_id=x`
  const open = () => fetch(authorize, { headers: { accept: 'text/html' } })
  // A process knows an issuer for two seconds.
  await expect.poll(async () => (await open()).status, { timeout: 10_000 }).toBe(423)
  expect((await open()).headers.get('content-type')).toContain('text/html')
  const receipt = await step(1, 'in', file)
  await step(1, 'start', first.id, await step(0, 'give-up', first.id, receipt))
  await cells.lead(first, 'cell-two')
  expect((await cells.client.as(first, 'GET', '/organizations/settings')).status).toBe(200)
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token as string)
  expect(refreshed.claims()?.sub).toBe(tokens.claims()?.sub)
})
