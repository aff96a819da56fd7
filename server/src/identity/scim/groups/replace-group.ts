import type { ScimRoute } from '../http/scim-route.ts'
import { groupSchema } from '../schema/group-schema.ts'
import { readResource } from '../schema/read-resource.ts'
import type { GroupDependencies } from './dependencies.ts'
import { groupIdIn, replyWith } from './group-answer.ts'
import { allMembers } from './member-change.ts'
import { maxGroupBytes, writeGroup } from './write-group.ts'

/** What the resource does not name is cleared: without `members` nobody is in the group. */
export const replaceGroup = (dependencies: GroupDependencies): ScimRoute => ({
  method: 'PUT',
  path: '/Groups/:id',
  id: 'replaceScimGroup',
  maxBodyBytes: maxGroupBytes,
  handle: async (call) => {
    const resource = readResource(groupSchema, call.body)
    await writeGroup(call, dependencies, () => ({ resource, members: allMembers(resource) }))
    return replyWith(call, dependencies.database, { id: groupIdIn(call.params), status: 200 })
  },
})
