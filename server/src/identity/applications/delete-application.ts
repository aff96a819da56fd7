import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { ApplicationPath, clientIdIn, noSuchApplication, toRecord } from './application-record.ts'
import { lockApplication, removeApplication } from './application-store.ts'
import type { OnChange } from './change-application.ts'

type Dependencies = { database: Database; onChange: OnChange }

export const deleteApplication = ({ database, onChange }: Dependencies) =>
  operation({
    id: 'deleteApplication',
    method: 'DELETE',
    path: '/organizations/applications/:client_id',
    scope: 'applications:write',
    tag: 'Applications',
    summary: 'Delete an application',
    description: 'Nobody can sign in to it any more.',
    params: ApplicationPath,
    status: 204,
    handle: ({ organizationId, record, params }) => {
      const clientId = clientIdIn(params)
      return database.transaction(async (tx) => {
        const [before] = await Promise.all([
          lockApplication(tx, organizationId, clientId),
          removeApplication(tx, organizationId, clientId),
        ])
        if (!before) throw noSuchApplication()
        await record(tx, organizationId, { target: { type: 'application', id: clientId }, before: toRecord(before) })
        tx.afterCommit(() => onChange(organizationId, clientId))
      })
    },
  })
