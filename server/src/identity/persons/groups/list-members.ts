import type { Database } from '../../../ground/database/database.ts'
import { notFound } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { Uuid } from '../../../ground/http/chain/schemas.ts'
import { GroupPath } from './group-record.ts'
import { pageOfMembers } from './membership-store.ts'

export const listMembers = ({ database }: { database: Database }) =>
  operation({
    id: 'listGroupMembers',
    method: 'GET',
    path: '/groups/:group_name/persons',
    scope: 'groups:read',
    tag: 'Groups',
    summary: 'List the members of a group',
    description: 'Ids of persons, the newest person first.',
    params: GroupPath,
    result: { ...Uuid, 'x-columns': { person_id: '' } },
    paged: true,
    handle: async ({ organizationId, params, query }) => {
      const page = await pageOfMembers(database.pages, organizationId, params.group_name, query)
      if (!page) throw notFound('group')
      return page
    },
  })
