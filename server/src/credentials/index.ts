/**
 * Credentials: at which identity providers the persons of an organization may sign in, and as which client it is known there.
 *
 * Owns: /organizations/sso/oidc/provider-credentials and what is below it; the table oidc_credentials; which scopes and
 * other options each provider has.
 * A client secret leaves the table only sealed, and this folder only for what `providers` asks. For sign-ins credentials
 * are kept two seconds, so that is how long one that was changed or deleted may still be used by another process.
 * Leaves to `providers` where each provider is and which issuer a credential stands for, to `sign-in` the callback whose
 * address a credential shows, and to `keys` the sealing.
 */
import type { Operation } from '../http/operation.ts'
import { changeCredential } from './change-credential.ts'
import { createCredential } from './create-credential.ts'
import { deleteCredential } from './delete-credential.ts'
import { getCredential } from './get-credential.ts'
import { listCredentials } from './list-credentials.ts'

export { callbackUrlOf } from './credential-record.ts'
export type { Choice } from './credential-store.ts'
export { type Credential, type Credentials, createCredentials } from './credentials.ts'
export type { Provider } from './provider-options.ts'

export const credentialsOperations = (dependencies: Parameters<typeof createCredential>[0]): Operation[] => [
  createCredential(dependencies),
  listCredentials(dependencies),
  getCredential(dependencies),
  changeCredential(dependencies),
  deleteCredential(dependencies),
]
