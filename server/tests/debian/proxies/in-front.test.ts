import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import tls from 'node:tls'
import { verifyWebhook } from '@signet/webhooks'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../support/browser.ts'
import { claimsOf } from '../../support/jwt.ts'
import type { Organization } from '../../support/signet.ts'
import { addWebhook } from '../../support/webhooks.ts'
import { type Behind, type Prefix, startBehind } from './support/behind.ts'
import { frontNames } from './support/fronts.ts'
import { askFrom } from './support/request.ts'

const maxBodyBytes = 1_048_576
/** At once, in each of the two processes. */
const keySetBurst = 3
const places = frontNames.flatMap((name) => (['', '/identity'] as const).map((prefix) => ({ name, prefix })))

describe.each(places)('$name, with Signet at the path "$prefix"', ({ name, prefix }) => {
  const life = new AsyncDisposableStack()
  let behind: Behind
  let organization: Organization

  beforeAll(async () => {
    behind = await startBehind(life, name, { prefix, env: { SIGNET_RATE_KEY_SET: `1/${keySetBurst}` } })
    organization = await behind.client.organization()
  })

  afterAll(() => life.disposeAsync())

  test('The proxy shows the reference page, and leads no browser out of the path', async () => {
    for (const path of ['/docs', '/docs/']) {
      const page = await fetch(`${behind.baseUrl}${path}`)
      expect([page.status, page.url.startsWith(`${behind.baseUrl}/docs`)]).toEqual([200, true])
      const parts = [...(await page.text()).matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, part]) => part ?? '')
      expect(parts.length).toBeGreaterThan(0)
      for (const part of parts) {
        const url = new URL(part, page.url).href
        expect(url).toMatch(new RegExp(`^${RegExp.escape(behind.baseUrl)}/`))
        expect([url, (await fetch(url)).status]).toEqual([url, 200])
      }
    }
    expect((await behind.client.call('GET', '/openapi.json')).body.servers).toEqual([{ url: behind.baseUrl }])
  })

  test('The proxy lets a person sign in to an application that uses an unchanged client library', async () => {
    const { client } = behind
    await client.as(organization, 'POST', '/organizations/sso/oidc/provider-credentials', behind.provider)
    const redirectUri = 'https://app.test/callback'
    const { body } = await client.as(organization, 'POST', '/organizations/applications', {
      name: 'An application',
      redirect_uris: [redirectUri],
      confidential: true,
    })
    const issuer = new URL(`${behind.baseUrl}/oidc/${organization.id}`)
    const config = await openid.discovery(issuer, body.result.client_id, body.result.client_secret, undefined, {
      execute: [openid.enableNonRepudiationChecks],
    })
    const checks = {
      expectedState: openid.randomState(),
      expectedNonce: openid.randomNonce(),
      pkceCodeVerifier: openid.randomPKCECodeVerifier(),
      idTokenExpected: true,
    }
    const start = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge_method: 'S256',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    })
    const browser = openBrowser(() => behind.baseUrl)
    const page = await browser.go(start.href)
    const end = await browser.go(page.url, { form: { email: 'ada@example.com', name: 'Ada' } })
    const tokens = await openid.authorizationCodeGrant(config, new URL(end.url), checks)
    const { sub, org_id } = tokens.claims() as openid.IDToken
    expect(org_id).toBe(organization.id)
    expect(await openid.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({ sub })
  })

  test('The proxy leads a client library of OAuth to the metadata of an issuer (RFC 8414)', async () => {
    const issuer = new URL(`${behind.baseUrl}/oidc/${organization.id}`)
    const found = await openid.discovery(issuer, 'any', undefined, undefined, { algorithm: 'oauth2' })
    expect(found.serverMetadata().issuer).toBe(issuer.href)
  })

  test('The proxy gives webhooks the issuer at which their receiver finds the key', async () => {
    const { client, receiver, baseUrl } = behind
    await addWebhook(client, organization, receiver.url('/verified'), ['PersonCreated_v1'])
    const { body } = await client.as(organization, 'POST', '/persons', {})
    const [received] = await receiver.waitFor('/verified', 1)
    const targetUrl = receiver.url('/verified')
    const webhook = await verifyWebhook(received?.body ?? '', {
      issuer: baseUrl,
      organizationId: organization.id,
      targetUrl,
    })
    expect(webhook).toMatchObject({ iss: baseUrl, trigger_content: { person_id: body.result.person_id } })
  })

  test('The proxy passes on each message of an event stream as it comes', async () => {
    const { client, baseUrl } = behind
    const { id, apiKey } = await client.organization()
    const headers = { 'Service-OrgID': id, 'Service-API-Key': apiKey, accept: 'text/event-stream' }
    const leaving = new AbortController()
    const response = await fetch(`${baseUrl}/events`, { headers, signal: leaving.signal })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
    const readUntil = async (wanted: string) => {
      let text = ''
      while (!text.includes(wanted)) text += (await reader.read()).value ?? expect.unreachable('the stream has ended')
    }
    await readUntil(': connected')
    for (let count = 0; count < 3; count++) {
      const events = [{ event_name: 'PersonCreated' }]
      const { body } = await client.as({ id, apiKey }, 'POST', '/test-events', events)
      await readUntil(body.result[0].event_id)
    }
    leaving.abort()
  })

  test('The proxy forwards the address of its client, whatever the client says of itself', async () => {
    const seen = await seenAddress(behind, organization, { from: '127.0.0.7', forwardedFor: '192.0.2.1' })
    expect(seen).toBe('127.0.0.7')
  })

  test.runIf(prefix === '').each([
    ['203.0.113.7:5678', '203.0.113.7'],
    ['[2001:db8::7]:5678', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['192.0.2.1, 203.0.113.7:5678', '203.0.113.7'],
  ])('The proxy takes %s of a trusted load balancer for the client %s', async (forwardedFor, address) => {
    // Caddy believes no other proxy unless it is told to, and names its own client.
    const expected = name === 'Caddy' ? '127.0.0.1' : address
    expect(await seenAddress(behind, organization, { from: '127.0.0.1', forwardedFor })).toBe(expected)
  })

  test('The proxy counts the clients behind it separately', async () => {
    const keys = `${behind.baseUrl}/organizations/${organization.id}/webhooks/verification-jwks`
    const headers = { 'Service-OrgID': organization.id }
    const url = (await askFrom(keys, {})).status === 200 ? keys : keys.replace(`/${organization.id}`, '')
    const statuses: number[] = []
    while (statuses.length < 2 * keySetBurst + 2) {
      statuses.push((await askFrom(url, { headers, from: '127.0.0.8' })).status)
    }
    expect(statuses.slice(-1)).toEqual([429])
    expect((await askFrom(url, { headers, from: '127.0.0.9' })).status).toBe(200)
  })

  test('The proxy passes on a body of the largest size, and Signet’s own refusal of a larger one', async () => {
    const send = (name: string, bytes: number) =>
      behind.client.as(organization, 'POST', '/groups', `${`{"name":"${name}"`.padEnd(bytes - 1)}}`)
    expect((await send('largest', maxBodyBytes)).status).toBe(201)
    const { status, body } = await send('too-large', maxBodyBytes + 1)
    expect([status, body.errors]).toEqual([413, [expect.objectContaining({ httpcode: 413 })]])
  })

  test('The proxy passes a path on as the client wrote it', async () => {
    const path = '/organizations/sso/oidc/provider-credentials'
    const clientId = 'https://client.example.com/a:b c'
    await behind.client.as(organization, 'POST', path, { ...behind.provider, client_id: clientId })
    const { status, body } = await behind.client.as(organization, 'GET', `${path}/${encodeURIComponent(clientId)}`)
    expect([status, body.result?.client_id]).toEqual([200, clientId])
  })

  test('The proxy lets no request that can be read in two ways reach another client', async () => {
    for (const request of ambiguous(prefix)) {
      expect([request, await sendRaw(behind, request)]).toEqual([request, [expect.toSatisfy(isRefusal)]])
      // Clients whose requests go over the connections that the ambiguous one may have left behind.
      for (const answer of await Promise.all([1, 2, 3, 4].map(() => fetch(`${behind.baseUrl}/livez`))))
        expect([request, answer.status]).toEqual([request, 200])
    }
  })
})

/** The client's address in the event that a page's visit publishes. */
async function seenAddress(
  { baseUrl, client, receiver }: Behind,
  organization: Organization,
  { from, forwardedFor }: { from: string; forwardedFor: string },
): Promise<string> {
  const path = `/seen/${encodeURIComponent(forwardedFor)}`
  const id = await addWebhook(client, organization, receiver.url(path), ['VirtualPageLoaded_v1'])
  const headers = {
    'Service-OrgID': organization.id,
    'Content-Type': 'application/json',
    'X-Forwarded-For': forwardedFor,
  }
  const body = JSON.stringify({ event_name: 'VirtualPageLoaded_v1', window_location: 'https://app.test/' })
  const answer = await askFrom(`${baseUrl}/sdk/events`, { method: 'POST', headers, body, from })
  expect(answer).toMatchObject({ status: 202 })
  const [received] = await receiver.waitFor(path, 1)
  await client.as(organization, 'DELETE', `/organizations/webhooks/${id}`)
  return claimsOf(received?.body ?? '').trigger_content.analytics_metadata.client_ip_address
}

const isRefusal = (status: number) => status === 400 || status === 501

/** Each with a second request inside, which a server that reads it in the other way would take for one of its own. */
function ambiguous(prefix: Prefix): string[] {
  const hidden = `GET ${prefix}/hidden HTTP/1.1\r\nHost: x\r\nX: `
  const headed = (...lines: string[]) =>
    [`POST ${prefix}/sdk/events HTTP/1.1`, 'Host: HOST', 'Content-Type: application/json', ...lines, '', ''].join(
      '\r\n',
    )
  const chunked = `0\r\n\r\n${hidden}`
  const counted = `Content-Length: ${chunked.length}`
  return [
    headed(counted, 'Transfer-Encoding: chunked') + chunked,
    headed('Transfer-Encoding: chunked', counted) + chunked,
    headed(counted, 'Transfer-Encoding : chunked') + chunked,
    headed(counted, 'Transfer-Encoding: xchunked') + chunked,
    headed(counted, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + chunked,
    headed(counted, 'Transfer-Encoding:\x0bchunked') + chunked,
    headed(counted, 'X: y\nTransfer-Encoding: chunked') + chunked,
    headed('Content-Length: 0', counted) + chunked,
    headed(`Content-Length: 0, ${chunked.length}`) + chunked,
    headed(`Content-Length: +${chunked.length}`) + chunked,
  ]
}

const answersWithinMs = 1_000

/** Sends it as it is; gives the statuses of what comes back until the connection ends, or for a second after the first. */
async function sendRaw({ baseUrl }: Behind, request: string): Promise<number[]> {
  const { hostname, port, host } = new URL(baseUrl)
  const socket = tls.connect({ host: hostname, port: Number(port), servername: hostname, ALPNProtocols: ['http/1.1'] })
  let answers = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => (answers += bytes))
  await once(socket, 'secureConnect')
  socket.write(request.replace('HOST', host))
  await Promise.race([once(socket, 'close'), once(socket, 'data').then(() => wait(answersWithinMs))])
  socket.destroy()
  return [...answers.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status))
}
