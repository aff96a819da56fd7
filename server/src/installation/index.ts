/**
 * The installation: what is settled once for a database and all that runs on it.
 *
 * Owns: the table installation (base URL, check of the master key); on the embedded database the secrets kept in the
 * data folder; the re-encryption of all that is sealed, the only statements that reach into the columns of other slices.
 * No routes. Leaves to `organizations` how an organization is made, and to `database` the schema itself.
 */
export { initializeInstallation } from './initialize.ts'
export { type Reencryption, reencrypt } from './reencrypt.ts'
export {
  findMasterKeys,
  firstApiKeyPath,
  makeDataDir,
  operatorKeyPath,
  storedFirstApiKey,
  storedMasterKeys,
  storedOperatorKey,
  storeFirstApiKey,
} from './stored-secrets.ts'
