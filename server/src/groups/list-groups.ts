import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import { GroupName } from './group-name.ts'
import { pageOfGroupNames } from './group-store.ts'

export const listGroups = ({ database }: { database: Database }) =>
  operation({
    id: 'listGroups',
    method: 'GET',
    path: '/groups',
    access: 'key',
    scope: 'groups:read',
    tag: 'Groups',
    summary: 'List the groups',
    description: 'Their names, sorted as bytes: capital letters come before small ones.',
    status: 200,
    result: GroupName,
    paged: true,
    handle: ({ organizationId, query }) => pageOfGroupNames(database.pages, organizationId, query),
  })
