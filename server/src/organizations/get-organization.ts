import type { Database } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { OrganizationPath, OrganizationRecord, organizationIdIn } from './organization-record.ts'
import { findOrganization } from './organization-store.ts'

export const getOrganization = ({ database }: { database: Database }) =>
  operation({
    id: 'getOrganization',
    method: 'GET',
    path: '/organizations/:id',
    access: 'operator',
    tag: 'Organizations',
    summary: 'Get an organization',
    params: OrganizationPath,
    status: 200,
    result: OrganizationRecord,
    handle: async ({ params }) => {
      const organization = await findOrganization(database.read, organizationIdIn(params))
      if (!organization) throw notFound('organization')
      return organization
    },
  })
