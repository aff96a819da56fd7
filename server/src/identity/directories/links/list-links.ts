import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { DirectoryPath, directoryIdIn, noSuchDirectory } from '../directory-record.ts'
import { findDirectory } from '../directory-store.ts'
import { LinkRecord, toRecord } from './link-record.ts'
import { pageOfOpenLinks } from './link-store.ts'

type Dependencies = { database: Database; clock: Clock }

export const listLinks = ({ database, clock }: Dependencies) =>
  operation({
    id: 'listDirectoryLinks',
    method: 'GET',
    path: '/organizations/directories/:id/links',
    scope: 'directories:read',
    tag: 'Directories',
    summary: 'List directory links',
    description: 'Those of the directory that are open, the newest first, without what opens them.',
    params: DirectoryPath,
    result: LinkRecord,
    paged: true,
    handle: async ({ organizationId, params, query }) => {
      const directoryId = directoryIdIn(params)
      const now = toTimestamp(clock.now())
      const [directory, { items, totalCount }] = await Promise.all([
        findDirectory(database.pages, organizationId, directoryId),
        pageOfOpenLinks(database.pages, organizationId, directoryId, now, query),
      ])
      if (!directory) throw noSuchDirectory()
      return { items: items.map(toRecord), totalCount }
    },
  })
