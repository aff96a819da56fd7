/**
 * Applications: the OpenID Connect clients of an organization, to which its persons sign in.
 *
 * Owns: /organizations/applications and what is below it; the table applications; the rule for redirect URIs, which
 * origins are those of applications, and which secrets an application has.
 * Leaves to `issuer` the comparison of redirect URIs, the tokens, and their end when an application is deleted.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { changeApplication } from './change-application.ts'
import { createApplication } from './create-application.ts'
import { deleteApplication } from './delete-application.ts'
import { getApplication } from './get-application.ts'
import { listApplications } from './list-applications.ts'
import { rotateClientSecret } from './rotate-client-secret.ts'
import { createSecret } from './secrets/create-secret.ts'
import { deleteSecret } from './secrets/delete-secret.ts'
import { listSecrets } from './secrets/list-secrets.ts'

export {
  type Application,
  findApplication,
  findExpiringSecrets,
  findOnlyApplication,
  namesOfApplications,
  searchApplications,
} from './application-store.ts'
export { type ClientSecret, isClientSecret } from './client-secret.ts'
export { isOriginOfAnyApplication, isOriginOfApplication } from './origin-store.ts'

type Dependencies = Parameters<typeof createApplication>[0] &
  Parameters<typeof changeApplication>[0] &
  Parameters<typeof rotateClientSecret>[0]

export const applicationsOperations = (dependencies: Dependencies): Operation[] => [
  createApplication(dependencies),
  listApplications(dependencies),
  getApplication(dependencies),
  changeApplication(dependencies),
  rotateClientSecret(dependencies),
  createSecret(dependencies),
  listSecrets(dependencies),
  deleteSecret(dependencies),
  deleteApplication(dependencies),
]
