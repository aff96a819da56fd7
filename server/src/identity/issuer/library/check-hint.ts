import { compactVerify, createLocalJWKSet } from 'jose'
import type Provider from 'oidc-provider'
import { type IssuerKey, toPublic } from '../keys/issuer-keys.ts'
import { isIdToken } from '../read-id-token.ts'

/**
 * An ID token sent as a hint may have been signed long ago, and has usually expired (RP-Initiated Logout 1.0, section 2). It
 * is verified with withdrawn keys as well; the library is not given those, so it neither publishes them nor signs with them.
 */
export function checkHintsWith(provider: Provider, keys: IssuerKey[]) {
  const keySet = createLocalJWKSet({ keys: keys.map(toPublic) })
  provider.IdToken.validate = async (jwt, client) => {
    const algorithms = [String(client.idTokenSignedResponseAlg)]
    const { payload: bytes, protectedHeader: header } = await compactVerify(jwt, keySet, { algorithms })
    const payload = JSON.parse(Buffer.from(bytes).toString())
    const isOurs =
      isIdToken(header.typ) &&
      payload.iss === provider.issuer &&
      payload.aud === client.clientId &&
      typeof payload.sub === 'string'
    if (!isOurs) throw new Error('id_token_hint is not of this issuer for this application')
    return { header: { ...header }, payload }
  }
}
