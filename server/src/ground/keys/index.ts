/**
 * Keys: what is secret, and what is signed with it.
 *
 * Owns: the keyring, which encrypts secrets at rest under the master key; the table signing_keys, with two keys or more for
 * each organization: the one that signs its webhooks and the next one, both published, and for an hour those that signed
 * before; rotation; signing JWTs. No routes.
 * A private key leaves the table only encrypted, and the keyring only into memory; a signature is sent only for some seconds
 * after its key was looked up.
 * Leaves to `webhooks` the routes that publish and rotate the verification keys, to whoever stores a secret its own
 * column, and to `installation` the re-encryption of all of them.
 */

export { createKeyring, type Keyring, type MasterKeys, makeMasterKey, parseMasterKeys } from './keyring.ts'
export { createKeys, insertSigningKeys, type Keys, type KeyUse } from './keys.ts'
export { signJwt, toPayload, type Unsigned } from './sign-jwt.ts'
export type { FindSigners, Signer } from './signers.ts'
