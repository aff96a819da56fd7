import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { ApplicationPath, clientIdIn, noSuchApplication } from '../application-record.ts'
import { findApplication } from '../application-store.ts'
import { ClientSecretRecord, toSecretRecord } from './secret-record.ts'

export const listSecrets = ({ database }: { database: Database }) =>
  operation({
    id: 'listClientSecrets',
    method: 'GET',
    path: '/organizations/applications/:client_id/secrets',
    scope: 'applications:read',
    tag: 'Applications',
    summary: 'List the client secrets of an application',
    description: 'The oldest first, without the secrets themselves. A public application has none.',
    params: ApplicationPath,
    result: ClientSecretRecord,
    paged: true,
    handle: async ({ organizationId, params, query: { limit, offset } }) => {
      const application = await findApplication(database.read, organizationId, clientIdIn(params))
      if (!application) throw noSuchApplication()
      const { secrets } = application
      return { items: secrets.slice(offset, offset + limit).map(toSecretRecord), totalCount: secrets.length }
    },
  })
