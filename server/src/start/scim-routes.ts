import { createHandleHashes } from '../identity/persons/index.ts'
import type { ScimRoute } from '../identity/scim/http/scim-route.ts'
import { type AccountsOf, userRoutes } from '../identity/scim/users/index.ts'
import type { Base } from './base.ts'
import { endSessionsOf } from './end-sessions-of.ts'
import type { Parts } from './parts.ts'

/** What directories call. */
export function listScimRoutes(dependencies: Base & Parts): ScimRoute[] {
  const { config, keyring, credentials, signIn } = dependencies
  const { region, operatorGroup } = config
  const accountsOf: AccountsOf = async (organizationId, credentialId) => {
    const credential = await credentials.find(organizationId, credentialId)
    return credential && signIn.providers.accountsAt(credential)
  }
  return userRoutes({
    ...dependencies,
    region,
    operatorGroup,
    accountsOf,
    handleHashes: createHandleHashes(keyring),
    endSessions: endSessionsOf(dependencies),
  })
}
