import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { counted } from './counted.ts'
import {
  CountedDirectory,
  DirectoryPath,
  directoryIdIn,
  noSuchDirectory,
  scimUrlOf,
  toRecord,
} from './directory-record.ts'
import { findDirectory } from './directory-store.ts'

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
      const directory = await findDirectory(database.pages, organizationId, id)
      if (!directory) throw noSuchDirectory()
      const shown = toRecord(directory, scimUrlOf(baseUrl, organizationId))
      const [record] = await counted(database.pages, organizationId, [shown])
      return record
    },
  })
