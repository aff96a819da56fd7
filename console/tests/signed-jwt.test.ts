import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { decodeJwt } from '../src/deliveries/decode-jwt.ts'
import { verifyCommand } from '../src/deliveries/verify-command.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('Header and claims are decoded, whatever letters they have', () => {
  const claims = { exp: 7, target_url: 'https://exämple.test/??>>~~' }
  expect(decodeJwt(`${part({ alg: 'ES256' })}.${part(claims)}.x`)).toEqual({ header: { alg: 'ES256' }, claims })
})

test('The command gives the token on standard input, and each argument whole', () => {
  const receiver = { serviceUrl: 'https://id.test', organizationId: '7', targetUrl: "https://a.test/?a='$(id)'&b" }
  const command = verifyCommand('a.b.c', receiver)
  const script = `signet() { printf '%s\\n' "$@"; cat; }\n${command}`
  const told = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
  const { serviceUrl, targetUrl } = receiver
  expect(told).toEqual(['verify', '-', '--url', serviceUrl, '--organization', '7', '--target-url', targetUrl, 'a.b.c'])
})
