import type { Publish } from '../../delivery/events/index.ts'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { FindKept, KeepOwner } from '../organizations/index.ts'
import { groupEvents, refuseKeptChanges, requireGroups, setGroups } from './groups/index.ts'
import { requireUnguarded } from './guarded.ts'
import { changedGroups, GroupNameList, PersonGroups } from './person-groups.ts'
import { PersonPath, personIdIn } from './person-record.ts'

type Dependencies = { database: Database; publish: Publish; findKept: FindKept; keepOwner: KeepOwner }

export const setPersonGroups = ({ database, publish, findKept, keepOwner }: Dependencies) =>
  operation({
    id: 'setPersonGroups',
    method: 'PUT',
    path: '/persons/:person_id/groups',
    scope: 'groups:write',
    tag: 'Persons',
    summary: 'Set the groups for a person',
    description:
      'The person is then in exactly the groups listed; an empty list leaves none. When one of them does not exist, the ' +
      'response names each such one and nothing changes. So it does with each group that a directory keeps, unless the list has those of the ' +
      'person and no other. The result is the names after the change, sorted as bytes. Publishes PersonGroupsChanged_v1 where something changed.',
    params: PersonPath,
    body: PersonGroups,
    rules: [({ organizationId, body }) => requireGroups(database.read, organizationId, body.groups)],
    result: GroupNameList,
    handle: ({ organizationId, principal, caller, record, params, body }) => {
      const personId = personIdIn(params)
      return database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groupsOf: { personId, names: body.groups } })
        const set = () => setGroups(tx, organizationId, personId, body.groups)
        const groups = await keepOwner(tx, organizationId, principal, set)
        await refuseKeptChanges(findKept, tx, organizationId, groups)
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
