import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import { ApplicationPath, clientIdIn, noSuchApplication } from './application-record.ts'
import { removeApplication } from './application-store.ts'
import type { OnChange } from './change-application.ts'

type Dependencies = { database: Database; onChange: OnChange }

export const deleteApplication = ({ database, onChange }: Dependencies) =>
  operation({
    id: 'deleteApplication',
    method: 'DELETE',
    path: '/organizations/applications/:client_id',
    access: 'key',
    scope: 'applications:write',
    tag: 'Applications',
    summary: 'Delete an application',
    description: 'Nobody can sign in to it any more.',
    params: ApplicationPath,
    status: 204,
    handle: async ({ organizationId, params }) => {
      const clientId = clientIdIn(params)
      if (!(await removeApplication(database.write, organizationId, clientId))) throw noSuchApplication()
      onChange(organizationId, clientId)
    },
  })
