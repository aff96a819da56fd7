import type { Database } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { GroupPath } from './group-record.ts'
import { deleteGroup as deleteStored } from './group-store.ts'

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
    handle: async ({ organizationId, params }) => {
      if (!(await deleteStored(database.write, organizationId, params.group_name))) throw notFound('group')
    },
  })
