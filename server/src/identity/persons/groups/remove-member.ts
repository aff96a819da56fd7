import { Type } from 'typebox'
import type { Publish } from '../../../delivery/events/index.ts'
import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { idInPath } from '../../../ground/http/chain/schemas.ts'
import type { FindKept, KeepOwner } from '../../organizations/index.ts'
import { requireUnguarded } from '../guarded.ts'
import { groupEvents } from './group-changes.ts'
import { GroupPath } from './group-record.ts'
import { leaveGroup } from './memberships.ts'
import { refuseKept } from './refuse-kept.ts'

type Dependencies = { database: Database; publish: Publish; findKept: FindKept; keepOwner: KeepOwner }

export const removeMember = ({ database, publish, findKept, keepOwner }: Dependencies) =>
  operation({
    id: 'removeGroupMember',
    method: 'DELETE',
    path: '/groups/:group_name/persons/:person_id',
    scope: 'groups:write',
    tag: 'Groups',
    summary: 'Remove a person from a group',
    description:
      'Not found when the person is not in the group. One that a directory keeps is refused (409). Publishes PersonGroupsChanged_v1.',
    params: Type.Object({ ...GroupPath.properties, person_id: idInPath('The id of the person.') }),
    refusals: [409],
    handle: ({ organizationId, principal, caller, record, params: { group_name: name, person_id: personId } }) =>
      database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groups: [name] })
        const leave = () => leaveGroup(tx, organizationId, personId, name)
        const groups = await keepOwner(tx, organizationId, principal, leave)
        await refuseKept(findKept, tx, organizationId, [name])
        const before = { persons: [groups.person.id] }
        await tx.last(() =>
          Promise.all([
            record(tx, organizationId, { target: { type: 'group', id: name }, before }),
            publish(tx, organizationId, groupEvents(caller, groups.person, groups)),
          ]),
        )
      }),
  })
