import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { ApplicationPath, clientIdIn, noSuchApplication, toRecord } from './application-record.ts'
import { lockApplication, removeApplication } from './application-store.ts'
import type { OnChange } from './change-application.ts'
import { keepLogoutAddress } from './keep-logout-address.ts'

type Dependencies = { database: Database; onChange: OnChange }

export const deleteApplication = ({ database, onChange }: Dependencies) =>
  operation({
    id: 'deleteApplication',
    method: 'DELETE',
    path: '/organizations/applications/:client_id',
    scope: 'applications:write',
    recentSignIn: true,
    tag: 'Applications',
    summary: 'Delete an application',
    description: 'Nobody can sign in to it any more.',
    params: ApplicationPath,
    status: 204,
    handle: async ({ organizationId, record, params }) => {
      const clientId = clientIdIn(params)
      await database.transaction(async (tx) => {
        const [before] = await Promise.all([
          lockApplication(tx, organizationId, clientId),
          removeApplication(tx, organizationId, clientId),
          keepLogoutAddress(tx, organizationId, { client_id: clientId, backchannel_logout_uri: null }),
        ])
        if (!before) throw noSuchApplication()
        await record(tx, organizationId, { target: { type: 'application', id: clientId }, before: toRecord(before) })
      })
      await database.onceCommitted(() => onChange(organizationId, clientId))
    },
  })
