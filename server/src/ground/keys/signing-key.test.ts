import { calculateJwkThumbprint } from 'jose'
import { expect, test } from 'vitest'
import { importSigningKey, makeSigningKey } from './signing-key.ts'

const made = makeSigningKey()

test('The public key has the fields of the key set (2.6) and no other', () => {
  const coordinate = expect.stringMatching(/^[\w-]{43}$/)
  expect(made.publicJwk).toStrictEqual({
    alg: 'ES256',
    crv: 'P-256',
    key_ops: ['verify'],
    kid: made.kid,
    kty: 'EC',
    use: 'sig',
    x: coordinate,
    y: coordinate,
  })
})

test('The kid is the thumbprint that other libraries compute', async () => {
  expect(made.kid).toBe(await calculateJwkThumbprint(made.publicJwk))
})

test('Every key is a new one', () => {
  expect(makeSigningKey().kid).not.toBe(made.kid)
})

test('The stored private key decrypts to the same kid and its JWT header', () => {
  const key = importSigningKey(made.privateKey)
  expect(key.kid).toBe(made.kid)
  expect(Buffer.from(key.header, 'base64url').toString()).toBe(`{"alg":"ES256","typ":"JWT","kid":"${made.kid}"}`)
  expect(key.privateKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
})
