import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { notFound } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, Description, named, nullable } from '../../../ground/http/chain/schemas.ts'
import type { FindKept } from '../../organizations/index.ts'
import { requireUnguarded } from '../guarded.ts'
import { GroupPath, GroupRecord } from './group-record.ts'
import { lockGroup, updateGroup } from './group-store.ts'
import { refuseKept } from './refuse-kept.ts'

const GroupChanges = named('GroupChanges', closed({ description: Type.Optional(nullable(Description)) }))

export const changeGroup = ({ database, findKept }: { database: Database; findKept: FindKept }) =>
  operation({
    id: 'changeGroup',
    method: 'PATCH',
    path: '/groups/:group_name',
    scope: 'groups:write',
    tag: 'Groups',
    summary: 'Change the description of a group',
    description:
      'What is absent stays; `null` empties the description. The name of a group does not change. One that a directory keeps is refused (409).',
    params: GroupPath,
    body: GroupChanges,
    result: GroupRecord,
    refusals: [409],
    handle: ({ organizationId, principal, record, params: { group_name: name }, body }) => {
      const changes = { description: body.description === null ? '' : body.description }
      return database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { groups: [name] })
        const [before, , after] = await Promise.all([
          lockGroup(tx, organizationId, name),
          refuseKept(findKept, tx, organizationId, [name]),
          updateGroup(tx, organizationId, name, changes),
        ])
        if (!before) throw notFound('group')
        await tx.last(() => record(tx, organizationId, { target: { type: 'group', id: name }, before, after }))
        return after
      })
    },
  })
