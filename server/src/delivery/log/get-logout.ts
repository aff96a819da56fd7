import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { HasApplication } from './list-logouts.ts'
import { findLogout } from './logout-log-store.ts'
import {
  LogoutDeliveryWithAttempts,
  LogoutPath,
  logoutIn,
  noSuchApplication,
  noSuchLogout,
  showLogoutAttempts,
  toLogoutRecord,
} from './logout-record.ts'

type Dependencies = {
  database: Database
  hasApplication: HasApplication
  issuerOf: (organizationId: string) => string
}

export const getLogout = ({ database, hasApplication, issuerOf }: Dependencies) =>
  operation({
    id: 'getLogout',
    method: 'GET',
    path: '/organizations/applications/:client_id/deliveries/:delivery_id',
    scope: 'deliveries:read',
    tag: 'Deliveries',
    summary: 'Get a logout token with its attempts',
    description: 'The newest attempt last. Each has a token of its own, of which the claims are shown.',
    params: LogoutPath,
    result: LogoutDeliveryWithAttempts,
    handle: async ({ organizationId, params }) => {
      const { clientId, id } = logoutIn(params)
      if (!(await hasApplication(organizationId, clientId))) throw noSuchApplication()
      const delivery = await findLogout(database.read, organizationId, clientId, id)
      if (!delivery) throw noSuchLogout()
      const addressed = { issuer: issuerOf(organizationId), clientId }
      return {
        ...toLogoutRecord(clientId, delivery),
        attempts: showLogoutAttempts(delivery.attempts, delivery.content ?? {}, addressed),
      }
    },
  })
