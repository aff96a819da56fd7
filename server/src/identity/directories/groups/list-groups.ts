import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { DirectoryPath, directoryIdIn, noSuchDirectory } from '../directory-record.ts'
import { findDirectory } from '../directory-store.ts'
import { GroupRecord, toGroupRecord } from './group-record.ts'
import { pageOfDirectoryGroups } from './group-store.ts'

export const listDirectoryGroups = ({ database }: { database: Database }) =>
  operation({
    id: 'listDirectoryGroups',
    method: 'GET',
    path: '/organizations/directories/:id/groups',
    scope: ['directories:read', 'groups:read'],
    tag: 'Directories',
    summary: 'List the groups of a directory',
    description: 'The newest first.',
    params: DirectoryPath,
    result: GroupRecord,
    paged: true,
    handle: async ({ organizationId, params, query }) => {
      const directoryId = directoryIdIn(params)
      const [directory, page] = await Promise.all([
        findDirectory(database.pages, organizationId, directoryId),
        pageOfDirectoryGroups(database.pages, organizationId, directoryId, query),
      ])
      if (!directory) throw noSuchDirectory()
      return { ...page, items: page.items.map(toGroupRecord) }
    },
  })
