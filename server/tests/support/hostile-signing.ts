import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** The keys of a provider that lies, and what signs by them: by hand, so that it can sign badly. */
export type Claims = Record<string, unknown>
type Header = { alg: string; kid?: string; [name: string]: unknown }

const makeRsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
export const [rsa, secondRsa] = [makeRsa(), makeRsa()]
export const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const others = {
  'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  Ed25519: generateKeyPairSync('ed25519'),
}
export const publish = (key: KeyObject, kid: string, more: object = {}) => ({
  ...key.export({ format: 'jwk' }),
  kid,
  ...more,
})
export const allKeys = [publish(rsa.publicKey, 'one'), publish(ec.publicKey, 'ec')]
export const keysOfEach = [...allKeys, ...Object.entries(others).map(([kid, { publicKey }]) => publish(publicKey, kid))]

/** By the first letters of an algorithm, and the bits of its hash. */
const signers: Record<string, (input: Buffer, bits: number) => Buffer> = {
  RS: (input, bits) => sign(`sha${bits}`, input, rsa.privateKey),
  PS: (input, bits) =>
    sign(`sha${bits}`, input, {
      key: rsa.privateKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: bits / 8,
    }),
  ES: (input, bits) => {
    const { privateKey } = { 256: ec, 384: others['P-384'], 512: others['P-521'] }[bits] ?? ec
    return sign(`sha${bits}`, input, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  },
  Ed: (input) => sign(null, input, others.Ed25519.privateKey),
}
const kids: Record<string, string> = { ES256: 'ec', ES384: 'P-384', ES512: 'P-521', EdDSA: 'Ed25519' }

export function signByName(alg: string, claims: Claims): string {
  const input = join({ alg, kid: kids[alg] ?? 'one' }, claims)
  const signature = signers[alg.slice(0, 2)]?.(Buffer.from(input), Number(alg.slice(2)))
  return `${input}.${signature?.toString('base64url')}`
}

export const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
export const join = (header: Header, claims: Claims) => `${encode(header)}.${encode(claims)}`
export const signRsa = (claims: Claims, header: Partial<Header> = {}, key = rsa.privateKey) => {
  const input = join({ alg: 'RS256', kid: 'one', ...header }, claims)
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
}
export const signEc = (claims: Claims) => {
  const input = join({ alg: 'ES256', kid: 'ec' }, claims)
  const key = { key: ec.privateKey, dsaEncoding: 'ieee-p1363' as const }
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
}
export const signHmac = (claims: Claims, secret: string, header: Partial<Header> = {}) => {
  const input = join({ alg: 'HS256', ...header }, claims)
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
export const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString()
