import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { keyNotValid } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { named } from '../../ground/http/chain/schemas.ts'
import { organizationFields } from './organization-record.ts'
import { findOrganization } from './organization-store.ts'
import { limitsOf, type Tiers } from './tiers.ts'

const limit = (things: string) =>
  Type.Optional(Type.Integer({ description: `The maximum number of ${things}. Absent: any number.`, examples: [1000] }))

const TierLimits = Type.Object(
  { max_groups: limit('groups'), max_persons: limit('persons'), max_webhooks: limit('webhooks') },
  { description: 'How much the organization may have.' },
)
const Tier = named(
  'Tier',
  Type.Object(
    { pricing_tier: organizationFields.pricing_tier, limits: TierLimits },
    { description: 'The pricing tier of an organization.' },
  ),
)

export const getCurrentTier = ({ database, tiers }: { database: Database; tiers: Tiers }) =>
  operation({
    id: 'getCurrentTier',
    method: 'GET',
    path: '/organizations/quota/current-tier',
    scope: 'settings:read',
    tag: 'Quota',
    summary: 'Get the pricing tier',
    description:
      'The tier of the organization, and its limits. A request that would exceed a limit is refused with 402.',
    result: Tier,
    handle: async ({ organizationId }) => {
      const organization = await findOrganization(database.read, organizationId)
      // It was deleted after its key was checked.
      if (!organization) throw keyNotValid()
      const { pricing_tier } = organization
      return { pricing_tier, limits: limitsOf(tiers, pricing_tier) }
    },
  })
