/** What a key must be to sign by it (RFC 7518, 3.1; RFC 8037, 3.1). */
export const keyTypes = {
  RS256: { kty: 'RSA', crv: undefined },
  RS384: { kty: 'RSA', crv: undefined },
  RS512: { kty: 'RSA', crv: undefined },
  PS256: { kty: 'RSA', crv: undefined },
  PS384: { kty: 'RSA', crv: undefined },
  PS512: { kty: 'RSA', crv: undefined },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
} as const

/** Of a key pair, whose private half only the provider has. `none` and `HS*` are not among them, whatever a document lists. */
export type SafeAlgorithm = keyof typeof keyTypes
/** LINE signs with the channel secret. */
export type Algorithm = SafeAlgorithm | 'HS256'
