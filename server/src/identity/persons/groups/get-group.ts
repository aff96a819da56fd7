import type { Database } from '../../../ground/database/database.ts'
import { notFound } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { GroupPath, GroupRecord } from './group-record.ts'
import { findGroup } from './group-store.ts'

export const getGroup = ({ database }: { database: Database }) =>
  operation({
    id: 'getGroup',
    method: 'GET',
    path: '/groups/:group_name',
    scope: 'groups:read',
    tag: 'Groups',
    summary: 'Get a group',
    params: GroupPath,
    result: GroupRecord,
    handle: async ({ organizationId, params }) => {
      const group = await findGroup(database.pages, organizationId, params.group_name)
      if (!group) throw notFound('group')
      return group
    },
  })
