import type { ScimRoute } from '../http/scim-route.ts'
import type { GroupDependencies } from './dependencies.ts'
import { groupIdIn, replyWith } from './group-answer.ts'

export const getGroup = ({ database }: GroupDependencies): ScimRoute => ({
  method: 'GET',
  path: '/Groups/:id',
  id: 'getScimGroup',
  handle: (call) => replyWith(call, database, { id: groupIdIn(call.params), status: 200 }),
})
