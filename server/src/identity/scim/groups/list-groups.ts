import { toCondition } from '../filter/to-condition.ts'
import { readListQuery, toList } from '../http/list-query.ts'
import type { ScimRoute } from '../http/scim-route.ts'
import { groupSchema } from '../schema/group-schema.ts'
import { isWanted } from '../schema/to-answer.ts'
import type { GroupDependencies } from './dependencies.ts'
import { toGroupAnswer } from './group-answer.ts'
import { groupColumns, pageOfGroups } from './group-store.ts'

export const listGroups = ({ database }: GroupDependencies): ScimRoute => ({
  method: 'GET',
  path: '/Groups',
  id: 'listScimGroups',
  handle: async ({ organizationId, directory, scimUrl, query }) => {
    const { filter, startIndex, count, projection } = readListQuery(groupSchema, query)
    const { items, total } = await pageOfGroups(
      database.pages,
      organizationId,
      directory.id,
      filter && toCondition(filter, groupColumns),
      { offset: startIndex - 1, count, hasMembers: isWanted(projection, 'members') },
    )
    const resources = items.map((group) => toGroupAnswer(group, scimUrl, projection))
    return { status: 200, body: toList(resources, total, startIndex) }
  },
})
