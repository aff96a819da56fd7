import { Type } from 'typebox'
import { notFound } from '../../../ground/errors.ts'
import { CreatedAt, idInPath, named, rule, Uuid } from '../../../ground/http/chain/schemas.ts'
import { groupNameForm, groupNameRule } from '../../persons/groups/index.ts'
import { DirectoryPath } from '../directory-record.ts'
import type { DirectoryGroup } from './group-store.ts'

export const group_name = Type.String({
  pattern: groupNameForm.source,
  ...rule(groupNameRule),
  description:
    'What the group is called here, and in the claim `groups`. It stays where the directory renames the group.',
  examples: ['corp-engineering'],
})

export const GroupRecord = named(
  'DirectoryGroup',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id that the directory knows it by.' },
      display_name: Type.String({ description: 'What the directory calls it.', examples: ['Corp Engineering'] }),
      group_name,
      tied: Type.Boolean({
        description:
          'Whether an admin key tied it to a group that was there before; else the directory made the group.',
      }),
      members_count: Type.Integer({ description: 'How many persons are in it.', examples: [12] }),
      created_at: CreatedAt,
    },
    { description: 'A group that a directory keeps.' },
  ),
)

export const toGroupRecord = ({ id, displayName, name, tied, membersCount, created_at }: DirectoryGroup) => ({
  id,
  display_name: displayName,
  group_name: name,
  tied,
  members_count: membersCount,
  created_at,
})

export const GroupPath = Type.Object({
  ...DirectoryPath.properties,
  scim_id: idInPath('The id that the directory knows the group by.'),
})

export const noSuchGroup = () => notFound('group')
