import { expect, test } from 'vitest'
import { decryptExpected, encryptExpected, isSecret, makeSecret } from './flow-secret.ts'

const expected = { nonce: 'a nonce', codeVerifier: 'a verifier', issuer: 'https://issuer.example' }

test('The expectations of a flow are decrypted by its own secret, and by no other', () => {
  const [secret, other] = [makeSecret(), makeSecret()]
  expect(isSecret(secret)).toBe(true)
  const encrypted = encryptExpected(expected, secret)
  expect(encrypted.toString('latin1')).not.toContain('verifier')
  expect(decryptExpected(encrypted, secret)).toEqual(expected)
  expect(() => decryptExpected(encrypted, other)).toThrow()
})

test('The expectations of a flow are not decrypted once they were changed', () => {
  const secret = makeSecret()
  const encrypted = encryptExpected(expected, secret)
  for (const place of [0, encrypted.length - 1]) {
    const changed = Buffer.from(encrypted)
    changed[place] = (changed[place] as number) ^ 1
    expect(() => decryptExpected(changed, secret)).toThrow()
  }
})
