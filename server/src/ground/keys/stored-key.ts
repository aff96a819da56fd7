import type { EncryptionContext, Keyring } from './keyring.ts'
import type { NewKey } from './keys-store.ts'
import { makeSigningKey } from './signing-key.ts'

export const signingKeyContext = (organizationId: string): EncryptionContext => ({
  organizationId,
  column: 'signing_keys.private_key',
})

/** A new key pair, its private key encrypted. */
export function makeStoredKey(organizationId: string, keyring: Keyring): NewKey {
  const { kid, publicJwk, privateKey } = makeSigningKey()
  return {
    kid,
    alg: publicJwk.alg,
    own: JSON.stringify(publicJwk),
    privateKey: keyring.encrypt(privateKey, signingKeyContext(organizationId)),
  }
}
