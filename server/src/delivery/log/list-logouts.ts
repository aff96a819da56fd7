import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { createCursors } from '../../ground/http/chain/cursor.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { Status } from './delivery-record.ts'
import { allIds, searchDeliveries } from './delivery-search-store.ts'
import { ClientPath, clientIdIn, LogoutDelivery, noSuchApplication, toLogoutRecord } from './logout-record.ts'

/** Applications are a slice above: it says which there are. */
export type HasApplication = (organizationId: string, clientId: string) => Promise<boolean>

type Dependencies = { database: Database; hasApplication: HasApplication }

export const listLogouts = ({ database, hasApplication }: Dependencies) => {
  const cursors = createCursors('logout tokens', isUuid)
  return operation({
    id: 'listLogouts',
    method: 'GET',
    path: '/organizations/applications/:client_id/deliveries',
    scope: 'deliveries:read',
    tag: 'Deliveries',
    summary: 'List the logout tokens of an application',
    description:
      'The newest first, those that wait and those that are finished together: what was sent to its `backchannel_logout_uri`. ' +
      'With a filter a page may have fewer than `limit`, or none, and `meta.next` all the same: go on until it is absent.',
    params: ClientPath,
    query: Type.Object({ status: Type.Optional(Status) }),
    result: LogoutDelivery,
    paged: 'cursor',
    handle: async ({ organizationId, params, query: { status, after, limit } }) => {
      const clientId = clientIdIn(params)
      const before = after === undefined ? allIds.before : { ...allIds.before, eventId: cursors.read(after) }
      if (!(await hasApplication(organizationId, clientId))) throw noSuchApplication()
      const search = { ...allIds, webhookId: clientId, status, before, limit }
      const { deliveries, next } = await searchDeliveries(database.pages, organizationId, search)
      return {
        items: deliveries.map((delivery) => toLogoutRecord(clientId, delivery)),
        next: next && cursors.write(next.eventId),
      }
    },
  })
}
