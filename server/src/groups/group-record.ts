import { Type } from 'typebox'
import { Description, Timestamp } from '../http/schemas.ts'
import { GroupName } from './group-name.ts'

export const GroupRecord = Type.Object({
  name: GroupName,
  description: Description,
  members_count: Type.Integer({ description: 'How many persons are in the group.' }),
  created_at: Timestamp,
})

/** Any text: what cannot be the name of a group is not found. */
export const GroupPath = Type.Object({ group_name: Type.String({ description: 'The group.' }) })
