import { expect, test } from 'vitest'
import { decodeJwt } from './decode-jwt.ts'
import { verifyCommand } from './verify-command.ts'

const part = (value: object) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

test('Header and claims are decoded, whatever letters they have', () => {
  const claims = { exp: 7, target_url: 'https://exämple.test/??>>~~' }
  expect(decodeJwt(`${part({ kid: 'key-1' })}.${part(claims)}.x`)).toEqual({ header: { kid: 'key-1' }, claims })
})

test('The command gives the token on standard input, and quotes what a shell would read', () => {
  const receiver = { serviceUrl: 'https://id.test', organizationId: '7', targetUrl: "https://a.test/?a='$(id)'&b" }
  expect(verifyCommand('a.b.c', receiver).split('\n')).toEqual([
    "signet verify - --url 'https://id.test' --organization 7 \\",
    "  --target-url 'https://a.test/?a='\\''$(id)'\\''&b' <<'JWT'",
    'a.b.c',
    'JWT',
  ])
})
