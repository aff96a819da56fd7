import { Type } from 'typebox'
import type { Publish } from '../../../delivery/events/index.ts'
import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, distinct, named, Uuid } from '../../../ground/http/chain/schemas.ts'
import type { FindKept } from '../../organizations/index.ts'
import { requireStillOwner, requireUnguarded } from '../guarded.ts'
import { groupEvents } from './group-changes.ts'
import { GroupPath } from './group-record.ts'
import { addMembers, requirePersons } from './memberships.ts'
import { refuseKept } from './refuse-kept.ts'

const maxPersons = 1_000

const PersonIds = Type.Array(Uuid, {
  description: `Ids of persons that exist, at most ${maxPersons}. Duplicates are ignored.`,
  ...distinct(maxPersons, 'person ids'),
})

const GroupMembers = named('GroupMembers', closed({ persons: PersonIds }))

type Dependencies = { database: Database; publish: Publish; findKept: FindKept }

export const addMembersToGroup = ({ database, publish, findKept }: Dependencies) =>
  operation({
    id: 'addGroupMembers',
    method: 'POST',
    path: '/groups/:group_name/persons',
    scope: 'groups:write',
    tag: 'Groups',
    summary: 'Add persons to a group',
    description:
      'Those who are in it already stay. When one of the persons does not exist, the response names each such one and nothing ' +
      'changes. A group that a directory keeps is refused (409). Publishes PersonGroupsChanged_v1 for each who was not in it.',
    params: GroupPath,
    body: GroupMembers,
    rules: [({ organizationId, body }) => requirePersons(database.read, organizationId, body.persons)],
    status: 201,
    refusals: [409],
    handle: ({ organizationId, principal, caller, record, params: { group_name: name }, body }) =>
      database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groups: [name] })
        await requireStillOwner(tx, organizationId, principal)
        // Sent together: the group is locked by then.
        const [added] = await Promise.all([
          addMembers(tx, organizationId, name, body.persons),
          refuseKept(findKept, tx, organizationId, [name]),
        ])
        if (added.length === 0) return
        const after = { persons: added.map(({ id }) => id) }
        const events = added.flatMap((person) => groupEvents(caller, person, { before: [], after: [name] }))
        await tx.last(() =>
          Promise.all([
            record(tx, organizationId, { target: { type: 'group', id: name }, after }),
            publish(tx, organizationId, events),
          ]),
        )
      }),
  })
