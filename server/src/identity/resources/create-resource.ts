import type { Database } from '../../ground/database/database.ts'
import { conflict } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { checkFields, NewResource, readNewResource } from './resource-fields.ts'
import { ResourceRecord } from './resource-record.ts'
import { countResources, insertResource } from './resource-store.ts'

const maxResources = 500

export const createResource = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'createResource',
    method: 'POST',
    path: '/organizations/resources',
    scope: 'resources:write',
    tag: 'Resources',
    summary: 'Create a resource',
    description:
      'An API of the organization: an application that names its `identifier` as `resource` gets access tokens for it. An ' +
      `identifier that another resource of the organization has, or more than ${maxResources} resources: 409.`,
    body: NewResource,
    rules: [({ body }) => checkFields(body)],
    status: 201,
    result: ResourceRecord,
    refusals: [409],
    handle: ({ organizationId, record, body }) => {
      const now = clock.now()
      const resource = { id: makeId(now), ...readNewResource(body), created_at: new Date(now) }
      return database.transaction(async (tx) => {
        if (!(await insertResource(tx, organizationId, resource))) throw identifierTaken()
        if ((await countResources(tx, organizationId)) > maxResources) throw tooMany()
        await record(tx, organizationId, { target: { type: 'resource', id: resource.id }, after: resource })
        return resource
      })
    },
  })

const identifierTaken = () => conflict('already_exists', 'identifier: is that of another resource')
const tooMany = () => conflict('limit_reached', `resources: an organization has at most ${maxResources}`)
