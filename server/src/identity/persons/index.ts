/**
 * Persons: those who sign in.
 *
 * Owns: /persons, /persons/{person_id} and /persons/{person_id}/groups; the tables persons, handles, vouchers,
 * identities and former_identities; the view person_records; what a handle may be, when two are the same, who vouches for one, and what
 * the providers say of a person. Publishes PersonCreated_v1, PersonDeleted_v1, PersonDeactivated_v1,
 * PersonActivated_v1 and PersonGroupsChanged_v1, each in the transaction of the change.
 * Leaves to `groups` who is in which group, to `organizations` how many persons there may be, and to `events` their
 * publication.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { addPersonGroups } from './add-person-groups.ts'
import { changePerson } from './change-person.ts'
import { createPerson } from './create-person.ts'
import { deletePerson } from './delete-person.ts'
import { getPerson } from './get-person.ts'
import { leaveGroupOfPerson } from './leave-group.ts'
import { listPersonGroups } from './list-person-groups.ts'
import { listPersons } from './list-persons.ts'
import { setPersonGroups } from './set-person-groups.ts'

export { activityEvents } from './activity-events.ts'
export type { EndSessions } from './change-person.ts'
export { type Released, releasePersons, vouchByDirectory, withdrawByDirectory } from './directory-store.ts'
export { requireStillOwner, requireUnguarded } from './guarded.ts'
export { guardedGroupOf, guardedIn, isOwner } from './guarded-store.ts'
export { type Handle, type HandleType, handleRules, handleTypes, parseHandle, readHandle } from './handle.ts'
export { createHandleHashes, type HandleHashes } from './handle-hash.ts'
export { type DirectoryHandle, keepDirectoryHandles, type StoredHandle, vouchedForAsOthers } from './handle-store.ts'
export {
  countIdentities,
  findPersonOf,
  hasIdentity,
  hasIdentityElsewhere,
  type Identity,
  type IdentityKey,
  type KnownPerson,
  listIdentities,
  mayBePushed,
  mayLink,
  type ProviderClaims,
  removeIdentity,
} from './identity-store.ts'
export { namesOfPersons } from './name-store.ts'
export { PersonPath, personIdIn } from './person-record.ts'
export { searchPersons } from './person-search-store.ts'
export {
  countPersons,
  findPerson,
  findPersonVouchedFor,
  findSwitches,
  holdActivePerson,
  holdPerson,
  insertPerson,
  lockPerson,
  switchPerson,
} from './person-store.ts'
export { addIdentity, keepProviderClaims, toProviderClaims } from './provider-claims.ts'
export { removePerson, tellRemoved } from './remove-person.ts'

type Dependencies = Parameters<typeof createPerson>[0] &
  Parameters<typeof changePerson>[0] &
  Parameters<typeof deletePerson>[0] &
  Parameters<typeof setPersonGroups>[0]

export const personsOperations = (dependencies: Dependencies): Operation[] => [
  createPerson(dependencies),
  listPersons(dependencies),
  getPerson(dependencies),
  changePerson(dependencies),
  deletePerson(dependencies),
  listPersonGroups(dependencies),
  setPersonGroups(dependencies),
  addPersonGroups(dependencies),
  leaveGroupOfPerson(dependencies),
]
