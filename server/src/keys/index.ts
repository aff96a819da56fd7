/**
 * Keys: what is secret, and what is signed with it.
 *
 * Owns: the vault, which seals secrets at rest under the master key; the table signing_keys, with two keys or more for
 * each organization: the one that signs its webhooks and the next one, both published; signing a JWT. No routes.
 * A private key leaves the table only sealed, and the vault only as an object that signs.
 * Leaves to `webhooks` the route that publishes the verification keys, and to whoever stores a secret its own column.
 */
export { createKeys, insertSigningKeys, type Keys } from './keys.ts'
export { signJwt } from './sign-jwt.ts'
export type { SigningKey } from './signing-key.ts'
export { createVault, type MasterKeys, makeMasterKey, parseMasterKeys, type Vault } from './vault.ts'
