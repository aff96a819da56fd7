import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { counted } from './counted.ts'
import { CountedDirectory, scimUrlOf, toRecord } from './directory-record.ts'
import { pageOfDirectories } from './directory-store.ts'

export const listDirectories = ({ database, baseUrl }: { database: Database; baseUrl: string }) =>
  operation({
    id: 'listDirectories',
    method: 'GET',
    path: '/organizations/directories',
    scope: 'directories:read',
    tag: 'Directories',
    summary: 'List the directories',
    description: 'The newest first, each with how many persons and groups it keeps, and what of it was refused last.',
    result: CountedDirectory,
    paged: true,
    handle: async ({ organizationId, query }) => {
      const { items, totalCount } = await pageOfDirectories(database.pages, organizationId, query)
      const shown = items.map((each) => toRecord(each, scimUrlOf(baseUrl, organizationId)))
      return { items: await counted(database.pages, organizationId, shown), totalCount }
    },
  })
