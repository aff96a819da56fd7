import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { OnChange } from './change-resource.ts'
import { noSuchResource, ResourcePath, resourceIdIn } from './resource-record.ts'
import { lockResource, removeResource } from './resource-store.ts'

export const deleteResource = ({ database, onChange }: { database: Database; onChange: OnChange }) =>
  operation({
    id: 'deleteResource',
    method: 'DELETE',
    path: '/organizations/resources/:id',
    scope: 'resources:write',
    recentSignIn: true,
    tag: 'Resources',
    summary: 'Delete a resource',
    description:
      'No application gets a token for it any more (by other processes of the service two seconds later), also not by a ' +
      'refresh, and introspection calls those that were made inactive. One that checks tokens by itself accepts them until ' +
      'they expire. A new resource with the same identifier begins anew: an earlier sign-in gets no token for it.',
    params: ResourcePath,
    status: 204,
    handle: ({ organizationId, record, params }) => {
      const id = resourceIdIn(params)
      return database.transaction(async (tx) => {
        const before = await lockResource(tx, organizationId, id)
        if (!before) throw noSuchResource()
        await removeResource(tx, organizationId, id)
        await record(tx, organizationId, { target: { type: 'resource', id }, before })
        tx.afterCommit(() => onChange(organizationId, before.identifier))
      })
    },
  })
