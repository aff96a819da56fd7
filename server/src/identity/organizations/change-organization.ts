import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, named, nullable } from '../../ground/http/chain/schemas.ts'
import { notServed } from './move-mark-store.ts'
import {
  OrganizationPath,
  OrganizationRecord,
  organizationFields,
  organizationIdIn,
  tierName,
} from './organization-record.ts'
import { findOrganization, updateOrganization } from './organization-store.ts'
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
    result: OrganizationRecord,
    handle: ({ params, record, body: { name, pricing_tier } }) => {
      const changes = { name, pricing_tier: pricing_tier === null ? defaultTier : pricing_tier }
      const organizationId = organizationIdIn(params)
      return database.transaction(async (tx) => {
        const [, before, after] = await Promise.all([
          lockOrganization(tx, organizationId),
          findOrganization(tx, organizationId),
          updateOrganization(tx, organizationId, changes),
        ])
        if (!after) throw await notServed(tx, organizationId)
        await record(tx, organizationId, { target: { type: 'organization', id: organizationId }, before, after })
        return after
      })
    },
  })
