import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { GroupPath, leaveGroup } from '../groups/index.ts'
import { operation } from '../http/operation.ts'
import { PersonPath } from './person-record.ts'

export const leaveGroupOfPerson = ({ database }: { database: Database }) =>
  operation({
    id: 'removePersonGroup',
    method: 'DELETE',
    path: '/persons/:person_id/groups/:group_name',
    access: 'key',
    scope: 'groups:write',
    tag: 'Persons',
    summary: 'Take a person out of a group',
    description: 'Not found when the person is not in the group.',
    params: Type.Object({ ...PersonPath.properties, ...GroupPath.properties }),
    status: 200,
    handle: ({ organizationId, params }) =>
      leaveGroup(database.write, organizationId, params.person_id, params.group_name),
  })
