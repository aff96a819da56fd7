/**
 * Credentials: the identity providers at which the persons of an organization may sign in, and the organization's OAuth client
 * at each.
 *
 * Owns: /organizations/sso/oidc/provider-credentials and what is below it but tests; the table oidc_credentials; which scopes and
 * other options each provider has, and in which domains one is trusted.
 * A client secret is stored encrypted, and decrypted only for requests to the provider. Nobody signs in with an inactive credential.
 * For sign-ins credentials are cached two seconds: for so long another process may use one that was changed or deleted.
 * Leaves to `links` how somebody without a key makes one, to `providers` the addresses of each provider and the issuer of a
 * credential, to `issuer` the sessions that end with one, to `sign-in` the callback whose address a credential shows, and to `keys` the
 * encryption.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { changeCredential } from './change-credential.ts'
import { createCredential } from './create-credential.ts'
import { deleteCredential } from './delete-credential.ts'
import { endSessionsOfCredential } from './end-sessions-of-credential.ts'
import { getCredential } from './get-credential.ts'
import { listCredentials } from './list-credentials.ts'

export { addCredential } from './add-credential.ts'
export { client_secret, credentialFields, emptyFields, mergeFields } from './credential-fields.ts'
export { CredentialPath, callbackUrlOf, noSuchCredential } from './credential-record.ts'
export {
  type Choice,
  clientIdsOfCredentials,
  findByClientId,
  findWaiting,
  holdCredential,
  namesOfCredentials,
  searchCredentials,
} from './credential-store.ts'
export {
  type Credential,
  type Credentials,
  createCredentials,
  type EndCredential,
  type OnChange,
  type RemoveCredentialFromDirectory,
} from './credentials.ts'
export { describeOptions, Options, type Provider } from './provider-options.ts'
export { shownChoice } from './shown-choice.ts'
export {
  isCustomersOwn,
  maxDomains,
  type OperatorServers,
  personalTenant,
  readTrustedDomains,
} from './trusted-domains.ts'

type Dependencies = Parameters<typeof createCredential>[0] &
  Parameters<typeof changeCredential>[0] &
  Parameters<typeof deleteCredential>[0]

export const credentialsOperations = (dependencies: Dependencies): Operation[] => [
  createCredential(dependencies),
  listCredentials(dependencies),
  getCredential(dependencies),
  changeCredential(dependencies),
  deleteCredential(dependencies),
  endSessionsOfCredential(dependencies),
]
