import type { Database } from '../../../ground/database/database.ts'
import { violates } from '../../../ground/database/postgres-error.ts'
import { conflict, notFound } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { GroupPath } from './group-record.ts'
import { againstJoining, deleteGroup as deleteStored, lockGroup } from './group-store.ts'
import { pageOfMembers } from './membership-store.ts'

/** Of its members, in the audit log, which has their number as well. */
const maxListed = 1_000

export const deleteGroup = ({ database }: { database: Database }) =>
  operation({
    id: 'deleteGroup',
    method: 'DELETE',
    path: '/groups/:group_name',
    scope: 'groups:write',
    recentSignIn: true,
    tag: 'Groups',
    summary: 'Delete a group',
    description:
      'Its members leave it; they themselves stay. One that `console_access` of the settings names is not deleted (409): take it out there ' +
      'first.',
    params: GroupPath,
    refusals: [409],
    handle: ({ organizationId, record, params: { group_name: name } }) =>
      database
        .transaction(async (tx) => {
          const [group, members] = await Promise.all([
            lockGroup(tx, organizationId, name, againstJoining),
            pageOfMembers(tx, organizationId, name, { limit: maxListed, offset: 0 }),
            deleteStored(tx, organizationId, name),
          ])
          if (!group || !members) throw notFound('group')
          const before = { ...group, members_count: members.totalCount, persons: members.items }
          await tx.last(() => record(tx, organizationId, { target: { type: 'group', id: name }, before }))
        })
        .catch((error) => {
          throw violates(error, 'console_access_org_id_group_name_fkey') ? opensTheConsole(name) : error
        }),
  })

/** For everybody: whoever made a group of that name again would let its members in. */
const opensTheConsole = (name: string) =>
  conflict(`group: ${name} opens the console; take it out of console_access of the settings first`)
