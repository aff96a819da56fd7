import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { closed, Name, rule } from '../http/schemas.ts'
import { OrganizationPath, OrganizationRecord, organizationIdIn, tierName } from './organization-record.ts'
import { updateOrganization } from './organization-store.ts'
import { defaultTier, type Tiers } from './tiers.ts'

const tierNameOrNull = (tiers: Tiers) =>
  Type.Union([tierName(tiers), Type.Null()], rule(`must be one of ${Object.keys(tiers).join(', ')}, or null`))

export const changeOrganization = ({ database, tiers }: { database: Database; tiers: Tiers }) =>
  operation({
    method: 'PATCH',
    path: '/organizations/:id',
    access: 'operator',
    tag: 'Organizations',
    summary: 'Change an organization',
    description:
      'What is absent stays; `null` for `pricing_tier` restores the default. On a tier whose limits it exceeds already, an ' +
      'organization keeps all it has and only new additions are refused.',
    params: OrganizationPath,
    body: closed({ name: Type.Optional(Name), pricing_tier: Type.Optional(tierNameOrNull(tiers)) }),
    status: 200,
    result: OrganizationRecord,
    handle: async ({ params, body: { name, pricing_tier } }) => {
      const changes = { name, pricing_tier: pricing_tier === null ? defaultTier : pricing_tier }
      const organization = await updateOrganization(database.write, organizationIdIn(params), changes)
      if (!organization) throw notFound('organization')
      return organization
    },
  })
