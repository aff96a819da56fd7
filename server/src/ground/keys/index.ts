/**
 * Keys: what is secret, and what is signed with it.
 *
 * Owns: the keyring, which encrypts secrets at rest under the master key; the tables signing_keys (they sign webhooks) and
 * issuer_keys (they sign ID tokens); two keys or more of each algorithm for each organization: the one that signs and
 * the next one, both published, and for a time those that signed before; their rotation; signing JWTs. No routes.
 * A private key leaves these tables only encrypted, and the keyring only into memory; a webhook's signature is sent only for some
 * seconds after its key was looked up.
 * Leaves to `webhooks` the routes that publish and rotate the verification keys, to `issuer` making, reading and publishing those of
 * ID tokens, to whoever stores a secret its own column, and to `installation` the re-encryption of all of them.
 */

export {
  createKeyring,
  type Keyring,
  type MasterKeys,
  makeMasterKey,
  parseMasterKeys,
} from './keyring.ts'
export { createKeys, insertSigningKeys, type Keys, type KeyUse } from './keys.ts'
export type { Algorithm, NewKey } from './keys-store.ts'
export { createRotation, type KeySet, makeFirstKeys, type OnRotated } from './rotation.ts'
export { signJwt, toPayload, type Unsigned } from './sign-jwt.ts'
export type { FindSigners, Signer } from './signers.ts'
export { importTypedKey, type SigningKey } from './signing-key.ts'
