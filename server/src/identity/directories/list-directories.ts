import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, Uuid } from '../../ground/http/chain/schemas.ts'
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
    query: closed({
      person_id: Type.Optional({ ...Uuid, description: 'Only the directory that keeps this person.' }),
      group: Type.Optional(
        Type.String({ description: 'Only the directory that keeps this group.', examples: ['corp-engineering'] }),
      ),
    }),
    result: CountedDirectory,
    paged: true,
    handle: async ({ organizationId, query: { limit, offset, ...kept } }) => {
      const { items, totalCount } = await pageOfDirectories(database.pages, organizationId, kept, { limit, offset })
      const shown = items.map((each) => toRecord(each, scimUrlOf(baseUrl, organizationId)))
      return { items: await counted(database.pages, organizationId, shown), totalCount }
    },
  })
