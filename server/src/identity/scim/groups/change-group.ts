import type { ScimRoute } from '../http/scim-route.ts'
import { applyPatch } from '../patch/apply-patch.ts'
import type { Operation } from '../patch/operation.ts'
import { readPatch } from '../patch/read-patch.ts'
import { groupSchema } from '../schema/group-schema.ts'
import type { GroupDependencies } from './dependencies.ts'
import { groupIdIn, replyWith, toResource } from './group-answer.ts'
import { memberChangeOf } from './member-change.ts'
import { maxGroupBytes, writeGroup } from './write-group.ts'

const isOfMembers = ({ extension, attribute }: Operation) => extension === undefined && attribute.name === 'members'

/** The answer has no body, unless attributes are asked for (RFC 7644, 3.5.2). */
export const changeGroup = (dependencies: GroupDependencies): ScimRoute => ({
  method: 'PATCH',
  path: '/Groups/:id',
  id: 'changeScimGroup',
  maxBodyBytes: maxGroupBytes,
  handle: async (call) => {
    const operations = readPatch(groupSchema, call.body)
    const members = memberChangeOf(operations.filter(isOfMembers))
    const others = operations.filter((operation) => !isOfMembers(operation))
    const version = await writeGroup(call, dependencies, (group) => ({
      resource: applyPatch(toResource(group), others),
      members,
    }))
    const { attributes, excludedAttributes } = call.query
    return attributes || excludedAttributes
      ? replyWith(call, dependencies.database, { id: groupIdIn(call.params), status: 200 })
      : { status: 204, version }
  },
})
