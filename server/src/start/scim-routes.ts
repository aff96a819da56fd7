import { createWatchOwners } from '../identity/organizations/index.ts'
import { createHandleHashes } from '../identity/persons/index.ts'
import { type AccountsOf, groupRoutes, type ScimRoute, userRoutes } from '../identity/scim/index.ts'
import { hasOwner } from '../identity/sign-in/index.ts'
import type { Base } from './base.ts'
import { endSessionsOf } from './end-sessions-of.ts'
import type { Parts } from './parts.ts'

const watchOwners = createWatchOwners(hasOwner)

/** What directories call. */
export function listScimRoutes(dependencies: Base & Parts): ScimRoute[] {
  const { config, keyring, credentials, signIn } = dependencies
  const { region, operatorGroup } = config
  const accountsOf: AccountsOf = async (organizationId, credentialId) => {
    const credential = await credentials.find(organizationId, credentialId)
    return credential && signIn.providers.accountsAt(credential)
  }
  const ofUsers = {
    region,
    operatorGroup,
    accountsOf,
    handleHashes: createHandleHashes(keyring),
    endSessions: endSessionsOf(dependencies),
  }
  return [
    ...userRoutes({ ...dependencies, ...ofUsers }),
    ...groupRoutes({ ...dependencies, watchOwners, operatorGroup }),
  ]
}
