import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { ApplicationRecord, toRecord } from './application-record.ts'
import { countApplications, listApplications as listApplicationsIn } from './application-store.ts'

export const listApplications = ({ database }: { database: Database }) =>
  operation({
    id: 'listApplications',
    method: 'GET',
    path: '/organizations/applications',
    scope: 'applications:read',
    tag: 'Applications',
    summary: 'List the applications',
    description: 'The newest first, without their secrets.',
    result: ApplicationRecord,
    paged: true,
    handle: async ({ organizationId, query }) => {
      const [applications, totalCount] = await Promise.all([
        listApplicationsIn(database.pages, organizationId, query),
        countApplications(database.pages, organizationId),
      ])
      return { items: applications.map(toRecord), totalCount }
    },
  })
