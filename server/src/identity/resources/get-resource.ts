import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { noSuchResource, ResourcePath, ResourceRecord, resourceIdIn } from './resource-record.ts'
import { findResource } from './resource-store.ts'

export const getResource = ({ database }: { database: Database }) =>
  operation({
    id: 'getResource',
    method: 'GET',
    path: '/organizations/resources/:id',
    scope: 'resources:read',
    tag: 'Resources',
    summary: 'Get a resource',
    params: ResourcePath,
    result: ResourceRecord,
    handle: async ({ organizationId, params }) => {
      const resource = await findResource(database.read, organizationId, resourceIdIn(params))
      if (!resource) throw noSuchResource()
      return resource
    },
  })
