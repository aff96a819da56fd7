import { Type } from 'typebox'
import { notFound } from '../../ground/errors.ts'
import { CreatedAt, idInPath, named, oneOf, ShownName, Uuid } from '../../ground/http/chain/schemas.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { type Tiers, tierNames } from './tiers.ts'

export const organizationFields = {
  id: { ...Uuid, description: 'The id of the organization.' },
  name: { ...ShownName, examples: ['Acme'] },
  pricing_tier: Type.String({
    description: 'The name of the set of limits that apply, one of those in the settings of the service.',
    examples: ['unlimited'],
  }),
}

export const OrganizationRecord = named(
  'Organization',
  Type.Object({ ...organizationFields, created_at: CreatedAt }, { description: 'A tenant of the service.' }),
)

/** Of one that moves, only the list tells the operator. */
export const ListedOrganizationRecord = named(
  'ListedOrganization',
  Type.Object(
    {
      ...organizationFields,
      created_at: CreatedAt,
      state: Type.Union([Type.Literal('active'), Type.Literal('moving')], {
        description: '`moving`: to another cell, or from one; its calls are answered with 423 meanwhile.',
      }),
    },
    { description: 'A tenant of the service, and whether it is served.' },
  ),
)

export const OrganizationPath = Type.Object({
  id: idInPath('The id of the organization.'),
})

/** Throws a 404 when the id is no UUID. */
export function organizationIdIn({ id }: { id: string }): string {
  if (!isUuid(id)) throw notFound('organization')
  return id.toLowerCase()
}

export const tierName = (tiers: Tiers): typeof organizationFields.pricing_tier => ({
  ...organizationFields.pricing_tier,
  ...oneOf(tierNames(tiers)),
})
