/**
 * Persons: those who sign in.
 *
 * Owns: /persons, /persons/{person_id} and /persons/{person_id}/groups; the tables persons and handles; the view
 * person_records; what a handle may be and when two are the same. Publishes PersonCreated_v1, PersonDeleted_v1, PersonDeactivated_v1 and
 * PersonActivated_v1, each in the transaction of the change.
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

export { type Handle, type HandleType, readHandle } from './handle.ts'
export { PersonPath, personIdIn } from './person-record.ts'
export {
  countPersons,
  findPerson,
  findPersonVouchedFor,
  holdActivePerson,
  insertFreeHandles,
  insertPerson,
  lockPerson,
  vouchForHandle,
  withdrawVouching,
} from './person-store.ts'

type Dependencies = Parameters<typeof createPerson>[0] & Parameters<typeof changePerson>[0]

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
