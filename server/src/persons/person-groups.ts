import { Type } from 'typebox'
import { GroupName, GroupNames } from '../groups/index.ts'
import { closed, named } from '../http/schemas.ts'

export const PersonGroups = named('PersonGroups', closed({ groups: GroupNames }))
export const GroupNameList = Type.Array(GroupName, { description: 'Names of groups, sorted as bytes.' })
