import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { KeepOwner } from '../organizations/index.ts'
import { requireGroups, setGroups } from './groups/index.ts'
import { requireUnguarded } from './guarded.ts'
import { changedGroups, GroupNameList, PersonGroups } from './person-groups.ts'
import { PersonPath, personIdIn } from './person-record.ts'

export const setPersonGroups = ({ database, keepOwner }: { database: Database; keepOwner: KeepOwner }) =>
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
    handle: ({ organizationId, principal, record, params, body }) => {
      const personId = personIdIn(params)
      return database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groupsOf: { personId, names: body.groups } })
        const set = () => setGroups(tx, organizationId, personId, body.groups)
        const groups = await keepOwner(tx, organizationId, principal, set)
        await tx.last(() => record(tx, organizationId, changedGroups(personId, groups)))
        return groups.after
      })
    },
  })
