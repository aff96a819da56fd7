import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, distinct, named, Uuid } from '../../../ground/http/chain/schemas.ts'
import { requireStillOwner, requireUnguarded } from '../guarded.ts'
import { GroupPath } from './group-record.ts'
import { addMembers, requirePersons } from './memberships.ts'

const maxPersons = 1_000

const PersonIds = Type.Array(Uuid, {
  description: `Ids of persons that exist, at most ${maxPersons}. Duplicates are ignored.`,
  ...distinct(maxPersons, 'person ids'),
})

const GroupMembers = named('GroupMembers', closed({ persons: PersonIds }))

export const addMembersToGroup = ({ database }: { database: Database }) =>
  operation({
    id: 'addGroupMembers',
    method: 'POST',
    path: '/groups/:group_name/persons',
    scope: 'groups:write',
    tag: 'Groups',
    summary: 'Add persons to a group',
    description:
      'Those who are in it already stay. When one of the persons does not exist, the response names each such one and nothing ' +
      'changes.',
    params: GroupPath,
    body: GroupMembers,
    rules: [({ organizationId, body }) => requirePersons(database.read, organizationId, body.persons)],
    status: 201,
    handle: ({ organizationId, principal, record, params: { group_name: name }, body }) =>
      database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groups: [name] })
        await requireStillOwner(tx, organizationId, principal)
        const persons = await addMembers(tx, organizationId, name, body.persons)
        if (persons.length > 0)
          await tx.last(() => record(tx, organizationId, { target: { type: 'group', id: name }, after: { persons } }))
      }),
  })
