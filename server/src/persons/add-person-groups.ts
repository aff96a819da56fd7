import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { addToGroups, GroupName, GroupNames, requireGroups } from '../groups/index.ts'
import { operation } from '../http/operation.ts'
import { closed } from '../http/schemas.ts'
import { PersonPath, personIdIn } from './person-record.ts'

export const addPersonGroups = ({ database }: { database: Database }) =>
  operation({
    method: 'POST',
    path: '/persons/:person_id/groups',
    access: 'key',
    tag: 'Persons',
    summary: 'Add a person to groups',
    description:
      'The person stays in all other groups. When one of those listed does not exist, the answer names each such one and ' +
      'nothing changes. The result is all names after the change, sorted as bytes.',
    params: PersonPath,
    body: closed({ groups: GroupNames }),
    rules: [({ organizationId, body }) => requireGroups(database.read, organizationId, body.groups)],
    status: 201,
    result: Type.Array(GroupName),
    handle: ({ organizationId, params, body }) => {
      const personId = personIdIn(params)
      return database.transaction((tx) => addToGroups(tx, organizationId, personId, body.groups))
    },
  })
