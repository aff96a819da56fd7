/**
 * Groups, and who is in them.
 *
 * Owns: /groups, /organizations/groups, /groups/{group_name} and /groups/{group_name}/persons; the tables groups and memberships; the rule for
 * names. A membership joins a person and a group, so its statements also look up and lock persons by their ids.
 * Publishes PersonGroupsChanged_v1, for each person whose groups changed, in the transaction of the change.
 * Leaves to `persons` the operations that begin with a person, which use the functions exported here, and to
 * `organizations` what a pricing tier allows. Deleting a group or a person deletes its memberships (by the tables' keys).
 */
import type { Operation } from '../../../ground/http/chain/operation.ts'
import { addMembersToGroup } from './add-members.ts'
import { changeGroup } from './change-group.ts'
import { createGroup } from './create-group.ts'
import { deleteGroup } from './delete-group.ts'
import { getGroup } from './get-group.ts'
import { listGroupRecords } from './list-group-records.ts'
import { listGroups } from './list-groups.ts'
import { listMembers } from './list-members.ts'
import { removeMember } from './remove-member.ts'

export { groupEvents, type Member, type Sides } from './group-changes.ts'
export { GroupName, GroupNames, groupNameForm, groupNameRule, maxGroupsOfPerson } from './group-name.ts'
export { GroupPath } from './group-record.ts'
export { againstJoining, countGroups, insertGroupIfFree, lockGroup, removeGroup, searchGroups } from './group-store.ts'
export {
  countActiveMembers,
  deleteMemberships,
  existingGroups,
  holdGroups,
  insertMembershipsOf,
  isOfMissingGroup,
  lockPersons,
  pageOfGroups,
  pageOfMembers,
} from './membership-store.ts'
export { addToGroups, exchangeMembers, leaveGroup, requireGroups, setGroups } from './memberships.ts'
export { refuseKept, refuseKeptChanges } from './refuse-kept.ts'

type Dependencies = Parameters<typeof createGroup>[0] &
  Parameters<typeof removeMember>[0] &
  Parameters<typeof deleteGroup>[0]

export const groupsOperations = (dependencies: Dependencies): Operation[] => [
  createGroup(dependencies),
  listGroups(dependencies),
  listGroupRecords(dependencies),
  getGroup(dependencies),
  changeGroup(dependencies),
  deleteGroup(dependencies),
  listMembers(dependencies),
  addMembersToGroup(dependencies),
  removeMember(dependencies),
]
