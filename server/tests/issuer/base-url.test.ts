import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseUrl } from '../support/browser.ts'
import { redirectUri, startIssuers } from '../support/issuer.ts'
import { app, closeIssuer, issuers, openIssuer } from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterAll(closeIssuer)

test('A base URL with a path is in every address and cookie', async () => {
  const below = await startIssuers({ SIGNET_BASE_URL: `${baseUrl}/signet` })
  const organization = await below.organization()
  const { id } = organization
  const { body } = await below.call('GET', `/oidc/${id}/.well-known/openid-configuration`)
  const issuer = `${baseUrl}/signet/oidc/${id}`
  expect(body).toMatchObject({ issuer, token_endpoint: `${issuer}/token`, end_session_endpoint: `${issuer}/logout` })
  const fields = { name: 'App', redirect_uris: [redirectUri] }
  const made = await below.as(organization, 'POST', '/organizations/applications', fields)
  const { url } = await issuers.request(app, { client_id: made.body.result.client_id })
  const answer = await fetch(`${below.address}/oidc/${id}/authorize${url.search}`, { redirect: 'manual' })
  expect(answer.headers.get('location')).toMatch(/^\/signet\/sso\/flows\//)
  const ofPaths = answer.headers.getSetCookie().filter((line) => !line.startsWith('__Host-'))
  const paths = ofPaths.map((line) => /path=([^;]+)/.exec(line)?.[1])
  expect(paths.filter((path) => !path?.startsWith(`/signet/`))).toEqual([])
  await below.stop()
})
