import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  closeHttp,
  closing,
  credentials,
  openHttp,
  organization,
  signet,
  speak,
  unknownId,
} from '../support/own-http.ts'

beforeAll(openHttp)
afterAll(closeHttp)

describe('No browser takes an answer for anything but what its type says', () => {
  const issuer = () => `/oidc/${organization.id}`
  test.each<[string, string, number, () => string[]]>([
    ['a result', 'GET', 200, () => ['/groups', ...credentials()]],
    ['a refusal', 'GET', 401, () => ['/groups', `Service-OrgID: ${organization.id}`]],
    ['no operation', 'GET', 404, () => ['/nowhere']],
    ['a wrong method', 'PUT', 405, () => ['/groups']],
    ['a preflight', 'OPTIONS', 403, () => ['/sdk/events', 'Origin: https://a.test']],
    ['a redirect', 'GET', 303, () => ['/']],
    ['the health', 'GET', 200, () => ['/readyz']],
    ['the document', 'GET', 200, () => ['/openapi.json']],
    ['the reference', 'GET', 200, () => ['/docs/']],
    ['a key set', 'GET', 200, () => ['/organizations/webhooks/verification-jwks', `Service-OrgID: ${organization.id}`]],
    ['the discovery of an issuer', 'GET', 200, () => [`${issuer()}/.well-known/openid-configuration`]],
    ['a page of an issuer', 'GET', 400, () => [`${issuer()}/authorize`]],
    ['an OAuth error', 'POST', 400, () => [`${issuer()}/token`, 'Content-Type: application/x-www-form-urlencoded']],
    ['no issuer', 'GET', 404, () => [`/oidc/${unknownId}/auth`]],
    ['a sign-in that there is not', 'GET', 404, () => ['/sso/callback?state=x']],
    ['a path that cannot be read', 'GET', 400, () => ['/groups/%']],
    ['a request that cannot be read', 'GET', 400, () => ['/groups', 'a header without colon']],
    ['headers that are too large', 'GET', 431, () => ['/groups', `X-Large: ${'x'.repeat(40_000)}`]],
  ])('An answer with %s', async (_what, method, status, ask) => {
    const [path, ...headers] = ask()
    const answer = await speak(`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers, ...closing)
    expect(answer.status).toBe(status)
    expect(answer.head.match(/\r\nx-content-type-options: .*/g)).toEqual(['\r\nx-content-type-options: nosniff'])
  })

  test('An event stream', async () => {
    const { id, apiKey } = organization
    const stopped = new AbortController()
    const { headers } = await fetch(`${signet.baseUrl}/events`, {
      headers: { 'Service-OrgID': id, 'Service-API-Key': apiKey, accept: 'text/event-stream' },
      signal: stopped.signal,
    })
    stopped.abort()
    expect(headers.get('content-type')).toBe('text/event-stream')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('The reference page', () => {
  test('The reference page has a policy, cannot be framed, and is served with its content type', async () => {
    const { headers } = await fetch(`${signet.baseUrl}/docs/`)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/=]+'; /)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe|https?:|\*/)
  })

  test.each(['/docs/js/scalar.js', '/openapi.json', '/docs/'])(
    'The file %s is sent compressed, and not sent again when it is cached',
    async (path) => {
      const plain = await fetch(signet.baseUrl + path, { headers: { 'accept-encoding': 'identity' } })
      const bytes = Buffer.from(await plain.arrayBuffer())
      expect(plain.headers.get('content-encoding')).toBeNull()
      const { body, head } = await compressed(path)
      expect(head).toContain('content-encoding: gzip')
      expect(head).toContain('vary: accept-encoding')
      expect(gunzipSync(body).equals(bytes)).toBe(true)
      expect(body.length).toBeLessThan(bytes.length * 0.6)
      const etag = plain.headers.get('etag') ?? ''
      const again = await fetch(signet.baseUrl + path, { headers: { 'if-none-match': etag } })
      expect({ status: again.status, length: (await again.arrayBuffer()).byteLength }).toEqual({
        status: 304,
        length: 0,
      })
    },
  )

  async function compressed(path: string) {
    const socket = connect(Number(new URL(signet.baseUrl).port), '127.0.0.1')
    socket.write([`GET ${path} HTTP/1.1`, 'Host: a', 'Accept-Encoding: gzip;q=0.5, br', ...closing].join('\r\n'))
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk)
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\r\n\r\n')
    return { head: all.toString('latin1', 0, end).toLowerCase(), body: all.subarray(end + 4) }
  }
})
