import { Type } from 'typebox'
import { operation } from '../../ground/http/chain/operation.ts'
import { CreatedAt, named } from '../../ground/http/chain/schemas.ts'
import { readUsage, type UsageDependencies, UsageRecord } from './get-usage.ts'
import { notServed } from './move-mark-store.ts'
import { OrganizationPath, organizationFields, organizationIdIn } from './organization-record.ts'
import { findOrganization } from './organization-store.ts'
import { limitsOf, type Tiers } from './tiers.ts'

const OrganizationWithUsage = named(
  'OrganizationWithUsage',
  Type.Object(
    { ...organizationFields, created_at: CreatedAt, usage: UsageRecord },
    { description: 'A tenant of the service, and how much of its limits it uses.' },
  ),
)

export const getOrganization = (dependencies: UsageDependencies & { tiers: Tiers }) =>
  operation({
    id: 'getOrganization',
    method: 'GET',
    path: '/organizations/:id',
    access: 'operator',
    tag: 'Organizations',
    summary: 'Get an organization',
    description: 'With how much of each limit of its pricing tier is used.',
    params: OrganizationPath,
    result: OrganizationWithUsage,
    handle: async ({ params }) => {
      const organizationId = organizationIdIn(params)
      const organization = await findOrganization(dependencies.database.read, organizationId)
      if (!organization) throw await notServed(dependencies.database.read, organizationId)
      const limits = limitsOf(dependencies.tiers, organization.pricing_tier)
      return { ...organization, usage: await readUsage(dependencies, organizationId, limits) }
    },
  })
