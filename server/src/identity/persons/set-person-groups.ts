import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { requireGroups, setGroups } from './groups/index.ts'
import { changedGroups, GroupNameList, PersonGroups } from './person-groups.ts'
import { PersonPath, personIdIn } from './person-record.ts'

export const setPersonGroups = ({ database }: { database: Database }) =>
  operation({
    id: 'setPersonGroups',
    method: 'PUT',
    path: '/persons/:person_id/groups',
    scope: 'groups:write',
    tag: 'Persons',
    summary: 'Set the groups for a person',
    description:
      'The person is then in exactly the groups listed; an empty list leaves none. When one of them does not exist, the ' +
      'response names each such one and nothing changes. The result is the names after the change, sorted as bytes.',
    params: PersonPath,
    body: PersonGroups,
    rules: [({ organizationId, body }) => requireGroups(database.read, organizationId, body.groups)],
    result: GroupNameList,
    handle: ({ organizationId, record, params, body }) => {
      const personId = personIdIn(params)
      return database.transaction(async (tx) => {
        const groups = await setGroups(tx, organizationId, personId, body.groups)
        await tx.last(() => record(tx, organizationId, changedGroups(personId, groups)))
        return groups.after
      })
    },
  })
