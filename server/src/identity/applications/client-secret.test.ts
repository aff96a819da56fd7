import { expect, test } from 'vitest'
import { isClientSecret, makeClientSecret } from './client-secret.ts'

test('A client secret has a prefix and 256 random bits', () => {
  const secrets = Array.from({ length: 100 }, () => makeClientSecret().secret)
  for (const secret of secrets) expect(secret).toMatch(/^signet_secret_[\w-]{43}$/)
  expect(new Set(secrets).size).toBe(secrets.length)
})

test('A client secret is recognised by its hash, and no other one is', () => {
  const { secret, hash } = makeClientSecret()
  expect(hash.toString('latin1')).not.toContain(secret)
  expect(isClientSecret(secret, hash)).toBe(true)
  for (const other of ['', `${secret} `, secret.slice(0, -1), makeClientSecret().secret])
    expect(isClientSecret(other, hash)).toBe(false)
})
