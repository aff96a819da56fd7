/**
 * The installation: what holds for a database and every process on it.
 *
 * Owns: the table installation (base URL, check of the master key); on the embedded database the secrets stored in the
 * data folder, the address of the service, and the files with which a shell calls it; the re-encryption of all secrets, whose statements are the only ones that write columns of other slices.
 * No routes. Leaves to `organizations` how an organization is created, and to `database` the schema itself.
 */
export { clientFileNames, storeClientFiles } from './client-files.ts'
export { initializeInstallation, requireInstallation } from './initialize.ts'
export { encryptedColumns, type Reencryption, reencrypt } from './reencrypt.ts'
export {
  findMasterKeys,
  firstApiKeyPath,
  makeDataDir,
  masterKeyPath,
  operatorKeyPath,
  removeServiceUrl,
  storedFirstApiKey,
  storedMasterKeys,
  storedOperatorKey,
  storedSecretNames,
  storeFirstApiKey,
  storeServiceUrl,
} from './stored-secrets.ts'
