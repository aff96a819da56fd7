import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { GroupName, GroupNames, requireGroups, setGroups } from '../groups/index.ts'
import { operation } from '../http/operation.ts'
import { closed } from '../http/schemas.ts'
import { PersonPath, personIdIn } from './person-record.ts'

export const setPersonGroups = ({ database }: { database: Database }) =>
  operation({
    method: 'PUT',
    path: '/persons/:person_id/groups',
    access: 'key',
    tag: 'Persons',
    summary: 'Set the groups for a person',
    description:
      'The person is then in exactly the groups listed; an empty list leaves none. When one of them does not exist, the ' +
      'answer names each such one and nothing changes. The result is the names after the change, sorted as bytes.',
    params: PersonPath,
    body: closed({ groups: GroupNames }),
    rules: [({ organizationId, body }) => requireGroups(database.read, organizationId, body.groups)],
    status: 200,
    result: Type.Array(GroupName),
    handle: ({ organizationId, params, body }) => {
      const personId = personIdIn(params)
      return database.transaction((tx) => setGroups(tx, organizationId, personId, body.groups))
    },
  })
