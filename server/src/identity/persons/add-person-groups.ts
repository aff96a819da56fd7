import type { Publish } from '../../delivery/events/index.ts'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { FindKept } from '../organizations/index.ts'
import { addToGroups, groupEvents, refuseKept, requireGroups } from './groups/index.ts'
import { requireStillOwner, requireUnguarded } from './guarded.ts'
import { changedGroups, GroupNameList, PersonGroups } from './person-groups.ts'
import { PersonPath, personIdIn } from './person-record.ts'

type Dependencies = { database: Database; publish: Publish; findKept: FindKept }

export const addPersonGroups = ({ database, publish, findKept }: Dependencies) =>
  operation({
    id: 'addPersonGroups',
    method: 'POST',
    path: '/persons/:person_id/groups',
    scope: 'groups:write',
    tag: 'Persons',
    summary: 'Add a person to groups',
    description:
      'The person stays in all other groups. When one of those listed does not exist, the response names each such one and ' +
      'nothing changes. One that a directory keeps is refused (409). The result is all names after the change, sorted as bytes. Publishes ' +
      'PersonGroupsChanged_v1 where something changed.',
    params: PersonPath,
    body: PersonGroups,
    rules: [({ organizationId, body }) => requireGroups(database.read, organizationId, body.groups)],
    status: 201,
    result: GroupNameList,
    refusals: [409],
    handle: ({ organizationId, principal, caller, record, params, body }) => {
      const personId = personIdIn(params)
      return database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groups: body.groups })
        await requireStillOwner(tx, organizationId, principal)
        // Sent together: the groups are locked by then.
        const [groups] = await Promise.all([
          addToGroups(tx, organizationId, personId, body.groups),
          refuseKept(findKept, tx, organizationId, body.groups),
        ])
        const events = groupEvents(caller, groups.person, groups)
        await tx.last(() =>
          Promise.all([
            record(tx, organizationId, changedGroups(groups)),
            events.length > 0 && publish(tx, organizationId, events),
          ]),
        )
        return groups.after
      })
    },
  })
