import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { checkFields, mergeFields, ResourceChanges } from './resource-fields.ts'
import { noSuchResource, ResourcePath, ResourceRecord, resourceIdIn } from './resource-record.ts'
import { lockResource, updateResource } from './resource-store.ts'

/** Called after a change is committed, before the reply. */
export type OnChange = (organizationId: string, identifier: string) => void
type Dependencies = { database: Database; onChange: OnChange }

export const changeResource = ({ database, onChange }: Dependencies) =>
  operation({
    id: 'changeResource',
    method: 'PATCH',
    path: '/organizations/resources/:id',
    scope: 'resources:write',
    tag: 'Resources',
    summary: 'Change a resource',
    description:
      'What is absent stays; `null` restores the default. It holds for the tokens that are made from then on (by other ' +
      'processes of the service two seconds later). The identifier does not change.',
    params: ResourcePath,
    body: ResourceChanges,
    rules: [({ body }) => checkFields(body)],
    result: ResourceRecord,
    handle: ({ organizationId, record, params, body }) => {
      const id = resourceIdIn(params)
      return database.transaction(async (tx) => {
        const before = await lockResource(tx, organizationId, id)
        if (!before) throw noSuchResource()
        const after = { ...before, ...mergeFields(before, body) }
        await updateResource(tx, organizationId, id, after)
        await record(tx, organizationId, { target: { type: 'resource', id }, before, after })
        tx.afterCommit(() => onChange(organizationId, before.identifier))
        return after
      })
    },
  })
