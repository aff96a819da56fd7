import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { ResourceRecord } from './resource-record.ts'
import { countResources, listResources as listResourcesIn } from './resource-store.ts'

export const listResources = ({ database }: { database: Database }) =>
  operation({
    id: 'listResources',
    method: 'GET',
    path: '/organizations/resources',
    scope: 'resources:read',
    tag: 'Resources',
    summary: 'List the resources',
    description: 'The newest first.',
    result: ResourceRecord,
    paged: true,
    handle: async ({ organizationId, query }) => {
      const [items, totalCount] = await Promise.all([
        listResourcesIn(database.pages, organizationId, query),
        countResources(database.pages, organizationId),
      ])
      return { items, totalCount }
    },
  })
