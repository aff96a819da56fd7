import type { StoredKey } from './keys-store.ts'
import { makeSigningKey } from './signing-key.ts'
import type { Place, Vault } from './vault.ts'

/** Where the private keys of an organization are sealed for. */
export const sealedKeyPlace = (organizationId: string): Place => ({
  organizationId,
  column: 'signing_keys.private_key',
})

/** A new key pair as it is stored: the private one sealed. */
export function makeStoredKey(organizationId: string, vault: Vault): StoredKey {
  const { kid, publicJwk, privateKey } = makeSigningKey()
  return {
    kid,
    publicJwk: JSON.stringify(publicJwk),
    privateKey: vault.seal(privateKey, sealedKeyPlace(organizationId)),
  }
}
