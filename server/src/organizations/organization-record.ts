import { Type } from 'typebox'
import { notFound } from '../errors.ts'
import { Name, rule, Timestamp, Uuid } from '../http/schemas.ts'
import { isUuid } from '../identifiers.ts'
import type { Tiers } from './tiers.ts'

export const OrganizationRecord = Type.Object({
  id: Uuid,
  name: Name,
  pricing_tier: Type.String({ description: 'Name of its set of limits.' }),
  created_at: Timestamp,
})

export const OrganizationPath = Type.Object({ id: Type.String({ description: 'The organization.' }) })

/** What is no UUID names no organization. */
export function organizationIdIn({ id }: { id: string }): string {
  if (!isUuid(id)) throw notFound('organization')
  return id.toLowerCase()
}

/** The tiers there are come from the settings. */
export function tierName(tiers: Tiers) {
  const names = Object.keys(tiers)
  return Type.String({ enum: names, ...rule(`must be one of ${names.join(', ')}`) })
}
