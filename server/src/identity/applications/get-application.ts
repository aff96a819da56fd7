import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { ApplicationPath, ApplicationRecord, clientIdIn, noSuchApplication, toRecord } from './application-record.ts'
import { findApplication } from './application-store.ts'

export const getApplication = ({ database }: { database: Database }) =>
  operation({
    id: 'getApplication',
    method: 'GET',
    path: '/organizations/applications/:client_id',
    scope: 'applications:read',
    tag: 'Applications',
    summary: 'Get an application',
    description: 'Without its secret.',
    params: ApplicationPath,
    result: ApplicationRecord,
    handle: async ({ organizationId, params }) => {
      const application = await findApplication(database.read, organizationId, clientIdIn(params))
      if (!application) throw noSuchApplication()
      return toRecord(application)
    },
  })
