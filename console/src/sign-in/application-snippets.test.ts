import { expect, test } from 'vitest'
import expressOpenidConnect from '../../../server/tests/clients/applications/express-openid-connect.ts?raw'
import oidcClientTs from '../../../server/tests/clients/applications/oidc-client-ts.ts?raw'
import { snippetsFor } from './application-snippets.ts'

const application = {
  client_id: '0199a3f2-5c00-7000-8000-0242ac120002',
  name: 'Portal',
  created_at: '2026-11-25T09:00:00Z',
  redirect_uris: ["https://app.example.com/call'back"],
  post_logout_redirect_uris: ['https://app.example.com/'],
  confidential: false,
  require_pkce: true,
  require_nonce: true,
  groups_claim: true,
  refresh_token_grace: '10s',
  introspects: [],
  backchannel_logout_session_required: true,
  id_token_signed_response_alg: 'RS256' as const,
}
const issuer = 'https://id.example.com/oidc/0199a3f2-5c00-7000-8000-0242ac120001'

const textOf = (name: string) =>
  snippetsFor({ application, issuer }).find((snippet) => snippet.name.startsWith(name))?.text ?? ''

const tested = { 'oidc-client-ts': oidcClientTs, 'express-openid-connect': expressOpenidConnect }

const optionsIn = (text: string) => [...text.matchAll(/^ {2,4}(\w+):/gm)].map(([, name]) => name)

test.each(Object.entries(tested))('The code for %s has only options of the tested program', (name, program) => {
  const options = optionsIn(textOf(name))
  expect(options.length).toBeGreaterThan(4)
  for (const option of options) expect(program).toMatch(new RegExp(`\\b${option}\\b`))
})

test('The program of openid-client reads every variable that its settings set', () => {
  const variables = [...textOf('openid-client, on a server: settings').matchAll(/^export (\w+)=/gm)]
  expect(variables).toHaveLength(4)
  for (const [, name] of variables) expect(textOf('openid-client, on a server: the program')).toContain(name)
})

test('A quote in a redirect URI ends no text of the code', () => {
  expect(textOf('oidc-client-ts')).toContain(String.raw`redirect_uri: 'https://app.example.com/call\'back',`)
})

test('Code that fits the kind of the application comes first', () => {
  const first = (confidential: boolean) =>
    snippetsFor({ application: { ...application, confidential }, issuer })[0]?.name
  expect(first(false)).toMatch(/^oidc-client-ts/)
  expect(first(true)).toMatch(/^openid-client/)
})
