import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { snippetsFor } from './application-snippets.ts'

const application = {
  ...{ client_id: '0199a3f2-5c00-7000-8000-0242ac120002', name: 'Portal', created_at: '2026-11-25T09:00:00Z' },
  redirect_uris: ["https://app.example.com/call'back"],
  post_logout_redirect_uris: ['https://app.example.com/'],
  ...{ confidential: false, require_pkce: true, groups_claim: true, refresh_token_grace: '10s' },
  id_token_signed_response_alg: 'RS256' as const,
}
const issuer = 'https://id.example.com/oidc/0199a3f2-5c00-7000-8000-0242ac120001'

const textOf = (name: string) =>
  snippetsFor({ application, issuer }).find((snippet) => snippet.name.startsWith(name))?.text ?? ''

const tested = (name: string) =>
  readFileSync(new URL(`../../../server/tests/clients/applications/${name}.ts`, import.meta.url), 'utf8')

const optionsIn = (text: string) => [...text.matchAll(/^ {2,4}(\w+):/gm)].map(([, name]) => name)

test.each(['oidc-client-ts', 'express-openid-connect'])('The code for %s has only options of the tested program', (name) => {
  const options = optionsIn(textOf(name))
  expect(options.length).toBeGreaterThan(4)
  for (const option of options) expect(tested(name)).toMatch(new RegExp(`\\b${option}\\b`))
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
