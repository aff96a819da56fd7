import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { idInPath } from '../../../ground/http/chain/schemas.ts'
import type { KeepOwner } from '../../organizations/index.ts'
import { requireUnguarded } from '../guarded.ts'
import { GroupPath } from './group-record.ts'
import { leaveGroup } from './memberships.ts'

export const removeMember = ({ database, keepOwner }: { database: Database; keepOwner: KeepOwner }) =>
  operation({
    id: 'removeGroupMember',
    method: 'DELETE',
    path: '/groups/:group_name/persons/:person_id',
    scope: 'groups:write',
    tag: 'Groups',
    summary: 'Remove a person from a group',
    description: 'Not found when the person is not in the group.',
    params: Type.Object({ ...GroupPath.properties, person_id: idInPath('The id of the person.') }),
    handle: ({ organizationId, principal, record, params: { group_name: name, person_id: personId } }) =>
      database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groups: [name] })
        await keepOwner(tx, organizationId, principal, () => leaveGroup(tx, organizationId, personId, name))
        const before = { persons: [personId.toLowerCase()] }
        await tx.last(() => record(tx, organizationId, { target: { type: 'group', id: name }, before }))
      }),
  })
