import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { application } from '../support/browser.ts'
import { app, closeIssuer, issuers, offline, openIssuer, organization, send, tokensOf } from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

const corsIn = (headers: Headers | undefined) =>
  [...(headers?.keys() ?? [])].filter((name) => name.startsWith('access-control-'))

describe('A page of another origin', () => {
  const post = (path: string, origin: string, body: Record<string, string>, headers = {}) =>
    send(path, { method: 'POST', headers: { origin, ...headers }, body: new URLSearchParams(body) })

  test.each(['https://evil.test', 'null', 'capacitor://localhost', 'chrome-extension://abc', `${application}`])(
    'A page of another origin such as %s is answered, and cannot read the reply',
    async (origin) => {
      const tokens = await tokensOf(offline)
      const body = { grant_type: 'refresh_token', client_id: app.clientId, refresh_token: tokens.refresh_token ?? '' }
      const answers = [
        await post('/token', origin, body),
        await post('/userinfo', origin, {}, { authorization: `Bearer ${tokens.access_token}` }),
        await post('/revoke', origin, { client_id: app.clientId, token: tokens.access_token }),
      ]
      for (const { status, headers } of answers) {
        expect(status).toBe(200)
        expect(corsIn(headers)).toEqual([])
      }
    },
  )

  test.each(['/token', '/userinfo', '/revoke'])('A preflight of another origin is refused at %s', async (path) => {
    const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    const preflight = (origin: string) => send(path, { method: 'OPTIONS', headers: { ...headers, origin } })
    expect(corsIn((await preflight('https://evil.test')).headers)).toEqual([])
    const allowed = (await preflight(new URL(application).origin)).headers
    expect(allowed.get('access-control-allow-origin')).toBe(new URL(application).origin)
  })

  test('A page on another port of the loopback interface is of another origin, whatever ports a redirect may take', async () => {
    await issuers.app(organization, { redirect_uris: ['http://127.0.0.1:8123/cb'] })
    const body = { grant_type: 'refresh_token', client_id: app.clientId }
    const [same, other] = [8123, 8124].map((port) => post('/token', `http://127.0.0.1:${port}`, body))
    expect(corsIn((await same)?.headers)).toContain('access-control-allow-origin')
    expect(corsIn((await other)?.headers)).toEqual([])
  })

  test('A page of another application of the organization can read the reply', async () => {
    const { origin } = new URL(application)
    const answer = await post('/token', origin, { grant_type: 'refresh_token', client_id: app.clientId })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
  })
})

test('Revocation replies with JSON', async () => {
  const answer = await send('/revoke', {
    method: 'POST',
    body: new URLSearchParams({ client_id: app.clientId, token: 'unknown' }),
  })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect([answer.status, await answer.json()]).toEqual([200, {}])
})

test.each(['/token', '/userinfo', '/revoke'])('A refusal of %s is JSON, whatever the client accepts', async (path) => {
  for (const accept of ['text/html', '*/*']) {
    const answer = await send(path, { method: 'POST', headers: { accept }, body: new URLSearchParams({ a: 'b' }) })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await answer.json()).toHaveProperty('error')
  }
})
