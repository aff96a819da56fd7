/**
 * The installation: what is settled once for a database and all that runs on it.
 *
 * Owns: the table installation (base URL, check of the master key); on the embedded database the secrets kept in the
 * data folder. No routes. Leaves to `organizations` how an organization is made, and to `database` the schema itself.
 */
export { establish } from './establish.ts'
export {
  firstApiKeyPath,
  keepFirstApiKey,
  keptMasterKeys,
  keptOperatorKey,
  makeDataDir,
  operatorKeyPath,
} from './kept-secrets.ts'
