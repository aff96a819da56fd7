import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { addToGroups, requireGroups } from './groups/index.ts'
import { requireStillOwner, requireUnguarded } from './guarded.ts'
import { changedGroups, GroupNameList, PersonGroups } from './person-groups.ts'
import { PersonPath, personIdIn } from './person-record.ts'

export const addPersonGroups = ({ database }: { database: Database }) =>
  operation({
    id: 'addPersonGroups',
    method: 'POST',
    path: '/persons/:person_id/groups',
    scope: 'groups:write',
    tag: 'Persons',
    summary: 'Add a person to groups',
    description:
      'The person stays in all other groups. When one of those listed does not exist, the response names each such one and ' +
      'nothing changes. The result is all names after the change, sorted as bytes.',
    params: PersonPath,
    body: PersonGroups,
    rules: [({ organizationId, body }) => requireGroups(database.read, organizationId, body.groups)],
    status: 201,
    result: GroupNameList,
    handle: ({ organizationId, principal, record, params, body }) => {
      const personId = personIdIn(params)
      return database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groups: body.groups })
        await requireStillOwner(tx, organizationId, principal)
        const groups = await addToGroups(tx, organizationId, personId, body.groups)
        await tx.last(() => record(tx, organizationId, changedGroups(personId, groups)))
        return groups.after
      })
    },
  })
