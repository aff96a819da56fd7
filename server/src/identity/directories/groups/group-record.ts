import { Type } from 'typebox'
import { notFound } from '../../../ground/errors.ts'
import { CreatedAt, idInPath, named, Uuid } from '../../../ground/http/chain/schemas.ts'
import { GroupName } from '../../persons/groups/index.ts'
import { DirectoryPath } from '../directory-record.ts'

export const GroupRecord = named(
  'DirectoryGroup',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id that the directory knows it by.' },
      display_name: Type.String({ description: 'What the directory calls it.', examples: ['Corp Engineering'] }),
      group_name: GroupName,
      tied: Type.Boolean({
        description:
          'Whether an admin key tied it to a group that was there before; else the directory made the group.',
      }),
      members_count: Type.Integer({ description: 'How many persons are in it.', examples: [12] }),
      created_at: CreatedAt,
    },
    { description: 'A group that a directory keeps. `group_name` stays where the directory renames it.' },
  ),
)

export const GroupPath = Type.Object({
  ...DirectoryPath.properties,
  scim_id: idInPath('The id that the directory knows the group by.'),
})

export const noSuchGroup = () => notFound('group')
