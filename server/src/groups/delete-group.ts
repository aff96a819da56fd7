import type { Database } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { GroupPath } from './group-record.ts'
import { deleteGroup as deleteStored, lockGroup } from './group-store.ts'

export const deleteGroup = ({ database }: { database: Database }) =>
  operation({
    id: 'deleteGroup',
    method: 'DELETE',
    path: '/groups/:group_name',
    access: 'key',
    scope: 'groups:write',
    tag: 'Groups',
    summary: 'Delete a group',
    description: 'Its members leave it; they themselves stay.',
    params: GroupPath,
    status: 200,
    handle: ({ organizationId, record, params: { group_name: name } }) =>
      database.transaction(async (tx) => {
        const [before] = await Promise.all([
          lockGroup(tx, organizationId, name),
          deleteStored(tx, organizationId, name),
        ])
        if (!before) throw notFound('group')
        await record(tx, organizationId, { target: { type: 'group', id: name }, before })
      }),
  })
