import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { DirectoryPath, directoryIdIn, noSuchDirectory } from '../directory-record.ts'
import { findDirectory } from '../directory-store.ts'
import { RefusalRecord } from './refusal-record.ts'
import { listRefusals as listStored, maxRefusals } from './refusal-store.ts'

export const listRefusals = ({ database }: { database: Database }) =>
  operation({
    id: 'listDirectoryRefusals',
    method: 'GET',
    path: '/organizations/directories/:id/refusals',
    scope: 'directories:read',
    tag: 'Directories',
    summary: 'List what was refused of a directory',
    description:
      `The newest first; the last ${maxRefusals} are kept. Not among them: a token that is refused, a read of what is not there, and what ` +
      'heals by itself, such as too many requests.',
    params: DirectoryPath,
    result: Type.Array(RefusalRecord, { description: 'Empty where nothing was refused.' }),
    handle: async ({ organizationId, params }) => {
      const directoryId = directoryIdIn(params)
      const [directory, refusals] = await Promise.all([
        findDirectory(database.pages, organizationId, directoryId),
        listStored(database.pages, organizationId, directoryId),
      ])
      if (!directory) throw noSuchDirectory()
      return refusals
    },
  })
