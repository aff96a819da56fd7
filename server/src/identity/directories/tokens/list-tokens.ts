import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { DirectoryPath, directoryIdIn, noSuchDirectory } from '../directory-record.ts'
import { findDirectory } from '../directory-store.ts'
import { TokenRecord, toRecord } from './token-record.ts'
import { pageOfTokens } from './token-store.ts'

export const listTokens = ({ database }: { database: Database }) =>
  operation({
    id: 'listDirectoryTokens',
    method: 'GET',
    path: '/organizations/directories/:id/tokens',
    scope: 'directories:read',
    tag: 'Directories',
    summary: 'List the tokens of a directory',
    description:
      'The newest first, without the tokens themselves. Expired ones are listed until they are revoked or give room.',
    params: DirectoryPath,
    result: TokenRecord,
    paged: true,
    handle: async ({ organizationId, params, query }) => {
      const directoryId = directoryIdIn(params)
      const [directory, { items, totalCount }] = await Promise.all([
        findDirectory(database.pages, organizationId, directoryId),
        pageOfTokens(database.pages, organizationId, directoryId, query),
      ])
      if (!directory) throw noSuchDirectory()
      return { items: items.map(toRecord), totalCount }
    },
  })
