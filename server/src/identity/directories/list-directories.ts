import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { DirectoryRecord, scimUrlOf, toRecord } from './directory-record.ts'
import { pageOfDirectories } from './directory-store.ts'

export const listDirectories = ({ database, baseUrl }: { database: Database; baseUrl: string }) =>
  operation({
    id: 'listDirectories',
    method: 'GET',
    path: '/organizations/directories',
    scope: 'directories:read',
    tag: 'Directories',
    summary: 'List the directories',
    description: 'The newest first.',
    result: DirectoryRecord,
    paged: true,
    handle: async ({ organizationId, query }) => {
      const { items, totalCount } = await pageOfDirectories(database.pages, organizationId, query)
      return { items: items.map((each) => toRecord(each, scimUrlOf(baseUrl, organizationId))), totalCount }
    },
  })
