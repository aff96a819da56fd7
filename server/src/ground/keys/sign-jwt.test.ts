import { createPublicKey, verify } from 'node:crypto'
import { errors, importJWK, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { signJwt, toPayload } from './sign-jwt.ts'
import { importSigningKey, makeSigningKey } from './signing-key.ts'

const made = makeSigningKey()
const key = importSigningKey(made.privateKey)
const claims = { jti: '0197f1b0-0000-7000-8000-00000000000a', aud: 'an organization', iat: 1_800_000_000 }

const sign = (...claims: Parameters<typeof toPayload>) => signJwt({ key, payload: toPayload(...claims) })
const partOf = (jwt: string, index: number) => Buffer.from(jwt.split('.')[index] ?? '', 'base64url')
const payloadOf = (jwt: string) => partOf(jwt, 1).toString()

describe('The signature', () => {
  test('Signatures verify with OpenSSL, 20,000 of them, of every length that r and s take in DER', () => {
    const publicKey = createPublicKey({ key: made.publicJwk, format: 'jwk' })
    const shapes = new Set<string>()
    for (let sequence = 0; sequence < 20_000; sequence++) {
      const jwt = sign({ sequence })
      const [input, signature] = [Buffer.from(jwt.slice(0, jwt.lastIndexOf('.'))), partOf(jwt, 2)]
      if (!verify('sha256', input, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)) expect.fail(jwt)
      shapes.add(`${shapeOf(signature.subarray(0, 32))} ${shapeOf(signature.subarray(32))}`)
    }
    expect([...shapes]).toEqual(expect.arrayContaining(['long long', 'short long', 'long short', 'full full']))
  }, 60_000)

  test('A signature verifies with jose under the published key', async () => {
    const publicKey = await importJWK(made.publicJwk)
    for (let sequence = 0; sequence < 300; sequence++) {
      const { payload, protectedHeader } = await jwtVerify(sign({ ...claims, sequence }), publicKey)
      expect(payload).toEqual({ ...claims, sequence })
      expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: made.kid })
    }
  })

  test('A signature does not verify under another key, nor for another payload', async () => {
    const publicKey = await importJWK(made.publicJwk)
    const otherKey = await importJWK(makeSigningKey().publicJwk)
    const jwt = sign(claims)
    const [header, , signature] = jwt.split('.')
    const changed = Buffer.from(JSON.stringify({ ...claims, aud: 'another' })).toString('base64url')
    await expect(jwtVerify(jwt, otherKey)).rejects.toThrow(errors.JWSSignatureVerificationFailed)
    await expect(jwtVerify(`${header}.${changed}.${signature}`, publicKey)).rejects.toThrow(
      errors.JWSSignatureVerificationFailed,
    )
  })
})

/** What DER makes of a 32-byte integer: 33 bytes, 32, or fewer. */
const shapeOf = (integer: Buffer) =>
  integer.readUInt8(0) >= 0x80 ? 'long' : integer.readUInt16BE(0) >= 0x80 ? 'full' : 'short'

describe('The payload', () => {
  test('The payload has the claims as they were given, in their order, beyond ASCII too', () => {
    expect(payloadOf(sign({ b: 'Zoë ☃', a: [1, { c: null }] }))).toBe('{"b":"Zoë ☃","a":[1,{"c":null}]}')
  })

  test('The payload takes JSON text as it is, after the other claims', () => {
    const text = '{"event_metadata": {"event_version":1},\n"n":12345678901234567890,"s":"\\u2603"}'
    const jwt = sign(claims, { trigger_content: text })
    expect(payloadOf(jwt)).toBe(`${JSON.stringify(claims).slice(0, -1)},"trigger_content":${text}}`)
  })

  test('The payload may consist of claims or of JSON text alone', () => {
    expect(payloadOf(sign({}))).toBe('{}')
    expect(payloadOf(sign({}, { a: '1', 'b"': '[]' }))).toBe('{"a":1,"b\\"":[]}')
  })
})
