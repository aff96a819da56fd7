import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

/** A member of the verification key set, with exactly the fields of 2.6. */
export type PublicJwk = {
  alg: 'ES256'
  crv: 'P-256'
  key_ops: ['verify']
  kid: string
  kty: 'EC'
  use: 'sig'
  x: string
  y: string
}

/** `privateKey` is PKCS #8 in DER, not yet encrypted. */
type NewSigningKey = { kid: string; publicJwk: PublicJwk; privateKey: Buffer }

/** Ready to sign: `header` is the base64url JWT header, made once for each key. */
export type SigningKey = { kid: string; header: string; privateKey: KeyObject }

export function makeSigningKey(): NewSigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicJwk = publicJwkOf(publicKey)
  return { kid: publicJwk.kid, publicJwk, privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }) }
}

/** `der` comes from `makeSigningKey`. The `kid` is computed from the key, so it cannot belong to another one. */
export function importSigningKey(der: Buffer): SigningKey {
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { kid } = publicJwkOf(createPublicKey(privateKey))
  return { kid, header: encodeHeader({ alg: 'ES256', typ: 'JWT', kid }), privateKey }
}

/** A key of an issuer, for JWTs of a type of their own. `der`: PKCS #8. */
export const importTypedKey = (der: Buffer, header: { alg: string; typ: string; kid: string }): SigningKey => ({
  kid: header.kid,
  header: encodeHeader(header),
  privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
})

const encodeHeader = (header: { alg: string; typ: string; kid: string }) =>
  Buffer.from(JSON.stringify(header)).toString('base64url')

function publicJwkOf(publicKey: KeyObject): PublicJwk {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return { alg: 'ES256', crv: 'P-256', key_ops: ['verify'], kid: thumbprint(x, y), kty: 'EC', use: 'sig', x, y }
}

/** RFC 7638: the required members in the order of their names, without white space. */
const thumbprint = (x: string, y: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url')
