import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import { OrganizationRecord } from './organization-record.ts'
import { pageOfOrganizations } from './organization-store.ts'

export const listOrganizations = ({ database }: { database: Database }) =>
  operation({
    id: 'listOrganizations',
    method: 'GET',
    path: '/organizations',
    access: 'operator',
    tag: 'Organizations',
    summary: 'List the organizations',
    description: 'The oldest first. Deleted ones are not listed.',
    status: 200,
    result: OrganizationRecord,
    paged: true,
    handle: ({ query }) => pageOfOrganizations(database.pages, query),
  })
