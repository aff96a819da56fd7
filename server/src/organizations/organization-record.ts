import { Type } from 'typebox'
import { notFound } from '../errors.ts'
import { CreatedAt, idInPath, Name, named, oneOf, Uuid } from '../http/schemas.ts'
import { isUuid } from '../runtime/identifiers.ts'
import type { Tiers } from './tiers.ts'

export const organizationFields = {
  id: { ...Uuid, description: 'The id of the organization.' },
  name: { ...Name, examples: ['Acme'] },
  pricing_tier: Type.String({
    description: 'The name of its set of limits, one of those in the settings of the service.',
    examples: ['unlimited'],
  }),
}

export const OrganizationRecord = named(
  'Organization',
  Type.Object({ ...organizationFields, created_at: CreatedAt }, { description: 'Whom the service serves.' }),
)

export const OrganizationPath = Type.Object({
  id: idInPath('The id of the organization.'),
})

/** What is no UUID names no organization. */
export function organizationIdIn({ id }: { id: string }): string {
  if (!isUuid(id)) throw notFound('organization')
  return id.toLowerCase()
}

/** The tiers there are come from the settings. */
export const tierName = (tiers: Tiers): typeof organizationFields.pricing_tier => ({
  ...organizationFields.pricing_tier,
  ...oneOf(Object.keys(tiers)),
})
