import type { Database } from '../../../ground/database/database.ts'
import { pageOfUsers } from '../../directories/index.ts'
import { toCondition } from '../filter/to-condition.ts'
import { readListQuery, readProjection, toList } from '../http/list-query.ts'
import type { ScimRoute } from '../http/scim-route.ts'
import { isWanted } from '../schema/to-answer.ts'
import { userSchema } from '../schema/user-schema.ts'
import { findKnown } from './find-known.ts'
import { answerOf, replyWith } from './user-answer.ts'
import { narrowing, userColumns } from './user-columns.ts'

export const listUsers = ({ database }: { database: Database }): ScimRoute => ({
  id: 'listScimUsers',
  method: 'GET',
  path: '/Users',
  handle: async ({ organizationId, directory, scimUrl, query }) => {
    const { filter, startIndex, count, projection } = readListQuery(userSchema, query)
    const condition = filter && narrowing(directory.id, filter, toCondition(filter, userColumns))
    const range = { offset: startIndex - 1, count, hasGroups: isWanted(projection, 'groups') }
    const { items, total } = await pageOfUsers(database.pages, organizationId, directory.id, condition, range)
    const resources = items.map((user) => answerOf(scimUrl, user, projection))
    return { status: 200, body: toList(resources, total, startIndex) }
  },
})

export const getUser = ({ database }: { database: Database }): ScimRoute => ({
  id: 'getScimUser',
  method: 'GET',
  path: '/Users/:id',
  handle: async (call) => {
    const projection = readProjection(userSchema, call.query)
    const user = await findKnown(database.read, call, isWanted(projection, 'groups'))
    return replyWith(call, user, { status: 200, projection })
  },
})
