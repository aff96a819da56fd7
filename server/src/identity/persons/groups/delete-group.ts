import type { Database } from '../../../ground/database/database.ts'
import { violates } from '../../../ground/database/postgres-error.ts'
import { conflict, notFound } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { type FindKept, type OperatorGroup, operatorsIn } from '../../organizations/index.ts'
import { GroupPath } from './group-record.ts'
import { againstJoining, lockGroup, removeGroup } from './group-store.ts'
import { pageOfMembers } from './membership-store.ts'
import { refuseKept } from './refuse-kept.ts'

/** Of its members, in the audit log, which has their number as well. */
const maxListed = 1_000

type Dependencies = { database: Database; operatorGroup: OperatorGroup | undefined; findKept: FindKept }

export const deleteGroup = ({ database, operatorGroup, findKept }: Dependencies) =>
  operation({
    id: 'deleteGroup',
    method: 'DELETE',
    path: '/groups/:group_name',
    scope: 'groups:write',
    recentSignIn: true,
    tag: 'Groups',
    summary: 'Delete a group',
    description:
      'Its members leave it; they themselves stay, and no event tells of each. One that `console_access` of the settings names is not ' +
      'deleted (409): take it out there first; nor is one that `SIGNET_OPERATOR_GROUP` names, or that a directory keeps.',
    params: GroupPath,
    refusals: [409],
    handle: async ({ organizationId, record, params: { group_name: name } }) => {
      if (operatorsIn(operatorGroup, organizationId) === name)
        throw conflict('named_by_setting', `group: ${name} is named by SIGNET_OPERATOR_GROUP`)
      return database
        .transaction(async (tx) => {
          const [group, , members] = await Promise.all([
            lockGroup(tx, organizationId, name, againstJoining),
            refuseKept(findKept, tx, organizationId, [name]),
            pageOfMembers(tx, organizationId, name, { limit: maxListed, offset: 0 }),
            removeGroup(tx, organizationId, name),
          ])
          if (!group || !members) throw notFound('group')
          const before = { ...group, members_count: members.totalCount, persons: members.items }
          await tx.last(() => record(tx, organizationId, { target: { type: 'group', id: name }, before }))
        })
        .catch((error) => {
          throw violates(error, 'console_access_org_id_group_name_fkey') ? opensTheConsole(name) : error
        })
    },
  })

/** For everybody: whoever made a group of that name again would let its members in. */
const opensTheConsole = (name: string) =>
  conflict(
    'group_opens_console',
    `group: ${name} opens the console; take it out of console_access of the settings first`,
  )
