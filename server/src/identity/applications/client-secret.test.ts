import { expect, test } from 'vitest'
import { isClientSecret, makeClientSecret } from './client-secret.ts'

const now = Date.parse('2026-11-25T09:30:00Z')
const clock = { now: () => now }

test('A client secret has a prefix and 256 random bits', () => {
  const secrets = Array.from({ length: 100 }, () => makeClientSecret(now).secret)
  for (const secret of secrets) expect(secret).toMatch(/^signet_secret_[\w-]{43}$/)
  expect(new Set(secrets).size).toBe(secrets.length)
})

test('A client secret is recognised by its hash, and no other one is', () => {
  const { secret, stored } = makeClientSecret(now)
  expect(stored.hash.toString('latin1')).not.toContain(secret)
  expect(isClientSecret(secret, [stored], clock)).toBe(true)
  for (const other of ['', `${secret} `, secret.slice(0, -1), makeClientSecret(now).secret])
    expect(isClientSecret(other, [stored], clock)).toBe(false)
  expect(isClientSecret(secret, [], clock)).toBe(false)
})

test('Either of two client secrets is recognised, each until it expires', () => {
  const [one, other] = [makeClientSecret(now, new Date(now)), makeClientSecret(now, new Date(now + 1))]
  const both = [one.stored, other.stored]
  expect(isClientSecret(one.secret, both, clock)).toBe(false)
  expect(isClientSecret(other.secret, both, clock)).toBe(true)
  expect(isClientSecret(other.secret, both, { now: () => now + 1 })).toBe(false)
})
