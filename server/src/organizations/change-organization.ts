import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { closed, named, nullable } from '../http/schemas.ts'
import {
  OrganizationPath,
  OrganizationRecord,
  organizationFields,
  organizationIdIn,
  tierName,
} from './organization-record.ts'
import { updateOrganization } from './organization-store.ts'
import { defaultTier, type Tiers } from './tiers.ts'

const organizationChanges = (tiers: Tiers) =>
  named(
    'OrganizationChanges',
    closed({
      name: Type.Optional(organizationFields.name),
      pricing_tier: Type.Optional(nullable(tierName(tiers))),
    }),
  )

export const changeOrganization = ({ database, tiers }: { database: Database; tiers: Tiers }) =>
  operation({
    id: 'changeOrganization',
    method: 'PATCH',
    path: '/organizations/:id',
    access: 'operator',
    tag: 'Organizations',
    summary: 'Change an organization',
    description:
      'Absent fields stay as they are; `null` for `pricing_tier` restores the default. On a tier whose limits it exceeds ' +
      'already, an organization keeps all it has, and only new additions are refused.',
    params: OrganizationPath,
    body: organizationChanges(tiers),
    status: 200,
    result: OrganizationRecord,
    handle: async ({ params, body: { name, pricing_tier } }) => {
      const changes = { name, pricing_tier: pricing_tier === null ? defaultTier : pricing_tier }
      const organization = await updateOrganization(database.write, organizationIdIn(params), changes)
      if (!organization) throw notFound('organization')
      return organization
    },
  })
