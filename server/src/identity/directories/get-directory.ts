import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import {
  CountedDirectory,
  DirectoryPath,
  directoryIdIn,
  noSuchDirectory,
  scimUrlOf,
  toRecord,
} from './directory-record.ts'
import { countKept, findDirectory } from './directory-store.ts'
import { listRefusals } from './refusals/refusal-store.ts'

export const getDirectory = ({ database, baseUrl }: { database: Database; baseUrl: string }) =>
  operation({
    id: 'getDirectory',
    method: 'GET',
    path: '/organizations/directories/:id',
    scope: 'directories:read',
    tag: 'Directories',
    summary: 'Get a directory',
    description: 'With how many persons and groups it keeps, and what of it was refused last.',
    params: DirectoryPath,
    result: CountedDirectory,
    handle: async ({ organizationId, params }) => {
      const id = directoryIdIn(params)
      const [directory, counts, [last_refusal]] = await Promise.all([
        findDirectory(database.pages, organizationId, id),
        countKept(database.pages, organizationId, id),
        listRefusals(database.pages, organizationId, id, 1),
      ])
      if (!directory) throw noSuchDirectory()
      const shown = toRecord(directory, scimUrlOf(baseUrl, organizationId))
      return { ...shown, ...counts, ...(last_refusal && { last_refusal }) }
    },
  })
