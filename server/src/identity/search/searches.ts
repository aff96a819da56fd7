import { nameOfEvent } from '../../delivery/events/index.ts'
import { deliveriesOf } from '../../delivery/log/index.ts'
import { searchWebhooks } from '../../delivery/webhooks/index.ts'
import type { SearchTerm } from '../../ground/database/begins-with.ts'
import type { Queries } from '../../ground/database/database.ts'
import type { Scope } from '../../ground/http/chain/scopes.ts'
import { searchApplications } from '../applications/index.ts'
import { searchCredentials } from '../credentials/index.ts'
import { searchDirectories } from '../directories/index.ts'
import { searchKeys } from '../organizations/index.ts'
import { searchGroups } from '../persons/groups/index.ts'
import { namesOfPersons, searchPersons } from '../persons/index.ts'
import { searchResources } from '../resources/index.ts'
import type { Found } from './found.ts'

type Find = (queries: Queries, organizationId: string, term: SearchTerm) => Promise<Found[]>
type Row = Omit<Found, 'type' | 'name'> & { name: string | null }
type FindRows = (queries: Queries, organizationId: string, term: SearchTerm) => Promise<Row[]>

/** Each type with the scope of its own list, in the order of the answer. */
export const searches: { scope: Scope; find: Find }[] = [
  { scope: 'webhooks:read', find: named('webhook', searchWebhooks) },
  { scope: 'groups:read', find: named('group', searchGroups) },
  { scope: 'applications:read', find: named('application', searchApplications) },
  { scope: 'credentials:read', find: named('oidc_credential', searchCredentials) },
  { scope: 'directories:read', find: named('directory', searchDirectories) },
  { scope: 'resources:read', find: named('resource', searchResources) },
  { scope: 'api-keys:read', find: named('api_key', searchKeys) },
  { scope: 'persons:read', find: findPersons },
  { scope: 'events:read', find: findEvent },
  { scope: 'deliveries:read', find: findDeliveries },
]

function named(type: Found['type'], find: FindRows): Find {
  return async (queries, organizationId, term) => {
    const rows = await find(queries, organizationId, term)
    return rows.map(({ name, ...row }) => ({ type, ...row, ...(name && { name }) }))
  }
}

async function findPersons(queries: Queries, organizationId: string, term: SearchTerm): Promise<Found[]> {
  const persons = await searchPersons(queries, organizationId, term)
  const names = await namesOfPersons(
    queries,
    organizationId,
    persons.map(({ id }) => id),
  )
  return persons.map(({ id, handle }) => {
    const name = names.get(id)
    return { type: 'person', id, ...(name && { name }), ...(handle && { handle: handle.value }) }
  })
}

async function findEvent(queries: Queries, organizationId: string, { id }: SearchTerm): Promise<Found[]> {
  const name = id && (await nameOfEvent(queries, organizationId, id))
  return name ? [{ type: 'event', id, name }] : []
}

async function findDeliveries(queries: Queries, organizationId: string, { id, limit }: SearchTerm): Promise<Found[]> {
  if (!id) return []
  const deliveries = await deliveriesOf(queries, organizationId, id, limit)
  return deliveries.map(({ event_id, trigger_name, webhook_id, status }) => {
    return { type: 'delivery', id: event_id, name: trigger_name, webhook_id, status }
  })
}
