import { afterAll, beforeAll, expect, test } from 'vitest'
import { application } from '../support/browser.ts'
import { redirectUri } from '../support/issuer.ts'
import { app, closeIssuer, confidential, issuers, openIssuer, send, signIn } from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterAll(closeIssuer)

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

async function exchangeBy(authorization: string, more: Record<string, string> = {}) {
  const { request, end } = await signIn({ parameters: { scope: 'openid offline_access' } })
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: end.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: request.verifier,
    ...more,
  })
  return send('/token', { method: 'POST', headers: { authorization }, body })
}

test('A public application names itself by Basic with an empty password, at every endpoint (RFC 6749, 2.3.1)', async () => {
  const itself = basic(`${app.clientId}:`)
  const answer = await exchangeBy(itself)
  expect(answer.status).toBe(200)
  const { refresh_token } = (await answer.json()) as { refresh_token: string }
  expect((await exchangeBy(itself, { client_id: app.clientId })).status).toBe(200)
  const refreshed = await send('/token', {
    method: 'POST',
    headers: { authorization: itself },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token }),
  })
  expect(refreshed.status).toBe(200)
  const token = ((await refreshed.json()) as { refresh_token: string }).refresh_token
  const revoked = await send('/revoke', {
    method: 'POST',
    headers: { authorization: itself },
    body: new URLSearchParams({ token }),
  })
  expect(revoked.status).toBe(200)
})

test.each<[string, () => string, () => Record<string, string>, number]>([
  ['a confidential application with an empty password', () => basic(`${confidential.clientId}:`), () => ({}), 401],
  ['another id in the body', () => basic(`${app.clientId}:`), () => ({ client_id: confidential.clientId }), 400],
  ['a secret in the body', () => basic(`${app.clientId}:`), () => ({ client_secret: 'x' }), 400],
  ['a public application with a password', () => basic(`${app.clientId}:x`), () => ({}), 401],
  ['an unknown application', () => basic('unknown:'), () => ({}), 401],
  ['no id', () => basic(':'), () => ({}), 400],
])('The token endpoint refuses %s', async (_, authorization, more, status) => {
  expect((await exchangeBy(authorization(), more())).status).toBe(status)
})

test.each(['/token', '/revoke', '/introspect'])('A GET at %s is an error of OAuth', async (path) => {
  const answer = await send(path)
  expect(answer.status).toBe(405)
  expect(answer.headers.get('allow')).toContain('POST')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await answer.json()).toEqual({
    error: 'invalid_request',
    error_description: expect.stringContaining('method: must be one of POST'),
  })
})

test.each([
  ['request', 'eyJhbGciOiJub25lIn0.e30.', 'request_not_supported', 'the parameter request is not supported'],
  [
    'request_uri',
    'https://app.example.com/r',
    'request_uri_not_supported',
    'the parameter request_uri is not supported',
  ],
  ['registration', '{}', 'registration_not_supported', 'the parameter registration is not supported'],
])('A request with %s goes back with a description', async (name, value, error, description) => {
  for (const response_mode of ['query', 'fragment']) {
    const { url, state } = await issuers.request(app, { [name]: value, response_mode })
    const { url: end } = await issuers.browser().go(url.href, { stopAt: new RegExp(`^${application}`) })
    const { searchParams, hash } = new URL(end)
    const parameters = response_mode === 'query' ? searchParams : new URLSearchParams(hash.slice(1))
    expect(Object.fromEntries(parameters)).toMatchObject({
      error,
      error_description: expect.stringContaining(description),
      state,
    })
  }
  const { url } = await issuers.request(app, { [name]: value, redirect_uri: 'https://other.example.com/' })
  const page = await issuers.browser().go(url.href)
  expect(page.html).toContain('redirect_uri')
})
