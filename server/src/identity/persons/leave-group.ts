import { Type } from 'typebox'
import type { Publish } from '../../delivery/events/index.ts'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { FindKept, KeepOwner } from '../organizations/index.ts'
import { GroupPath, groupEvents, leaveGroup, refuseKept } from './groups/index.ts'
import { requireUnguarded } from './guarded.ts'
import { changedGroups } from './person-groups.ts'
import { PersonPath } from './person-record.ts'

type Dependencies = { database: Database; publish: Publish; findKept: FindKept; keepOwner: KeepOwner }

export const leaveGroupOfPerson = ({ database, publish, findKept, keepOwner }: Dependencies) =>
  operation({
    id: 'removePersonGroup',
    method: 'DELETE',
    path: '/persons/:person_id/groups/:group_name',
    scope: 'groups:write',
    tag: 'Persons',
    summary: 'Take a person out of a group',
    description:
      'Not found when the person is not in the group. One that a directory keeps is refused (409). Publishes PersonGroupsChanged_v1.',
    params: Type.Object({ ...PersonPath.properties, ...GroupPath.properties }),
    refusals: [409],
    handle: ({ organizationId, principal, caller, record, params: { person_id: personId, group_name: name } }) =>
      database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groups: [name] })
        const leave = () => leaveGroup(tx, organizationId, personId, name)
        const groups = await keepOwner(tx, organizationId, principal, leave)
        await refuseKept(findKept, tx, organizationId, [name])
        await tx.last(() =>
          Promise.all([
            record(tx, organizationId, changedGroups(groups)),
            publish(tx, organizationId, groupEvents(caller, groups.person, groups)),
          ]),
        )
      }),
  })
