import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { KeepOwner } from '../organizations/index.ts'
import { GroupPath, leaveGroup } from './groups/index.ts'
import { requireUnguarded } from './guarded.ts'
import { changedGroups } from './person-groups.ts'
import { PersonPath } from './person-record.ts'

export const leaveGroupOfPerson = ({ database, keepOwner }: { database: Database; keepOwner: KeepOwner }) =>
  operation({
    id: 'removePersonGroup',
    method: 'DELETE',
    path: '/persons/:person_id/groups/:group_name',
    scope: 'groups:write',
    tag: 'Persons',
    summary: 'Take a person out of a group',
    description: 'Not found when the person is not in the group.',
    params: Type.Object({ ...PersonPath.properties, ...GroupPath.properties }),
    handle: ({ organizationId, principal, record, params: { person_id: personId, group_name: name } }) =>
      database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groups: [name] })
        const leave = () => leaveGroup(tx, organizationId, personId, name)
        const groups = await keepOwner(tx, organizationId, principal, leave)
        await tx.last(() => record(tx, organizationId, changedGroups(personId.toLowerCase(), groups)))
      }),
  })
