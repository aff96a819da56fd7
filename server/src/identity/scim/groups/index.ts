/**
 * Groups by SCIM: what a directory says of its groups, and who is in them.
 *
 * Owns: /Groups below the SCIM address of an organization. Publishes PersonGroupsChanged_v1, for each person who joined or left, in the
 * transaction of the change.
 * What Signet calls a group is made once (`made-name.ts`). Members are never loaded to be changed: PostgreSQL compares what is sent with
 * what is there, and only the difference is written.
 * Leaves to `directories` the table of their groups, and to `persons` those of groups and memberships.
 */
import type { ScimRoute } from '../http/scim-route.ts'
import { changeGroup } from './change-group.ts'
import { createGroup } from './create-group.ts'
import { deleteGroup } from './delete-group.ts'
import type { GroupDependencies } from './dependencies.ts'
import { getGroup } from './get-group.ts'
import { listGroups } from './list-groups.ts'
import { replaceGroup } from './replace-group.ts'

export type { GroupDependencies } from './dependencies.ts'

export const groupRoutes = (dependencies: GroupDependencies): ScimRoute[] => [
  listGroups(dependencies),
  createGroup(dependencies),
  getGroup(dependencies),
  replaceGroup(dependencies),
  changeGroup(dependencies),
  deleteGroup(dependencies),
]
