import { Type } from 'typebox'
import { CreatedAt, Description, named } from '../../../ground/http/chain/schemas.ts'
import { GroupName } from './group-name.ts'

export const GroupRecord = named(
  'Group',
  Type.Object(
    {
      name: GroupName,
      description: Description,
      members_count: Type.Integer({ description: 'How many persons are in the group.', examples: [12] }),
      created_at: CreatedAt,
    },
    { description: 'A group of persons.' },
  ),
)

/** Any text: an invalid name is not found, like an unknown one. */
export const GroupPath = Type.Object({
  group_name: Type.String({ description: 'The name of the group.', examples: ['engineering'] }),
})
