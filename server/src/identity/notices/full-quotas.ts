import { countWebhooks } from '../../delivery/webhooks/index.ts'
import { countGroups } from '../persons/groups/index.ts'
import { countPersons } from '../persons/index.ts'
import type { Find } from './finding.ts'

/** Of a limit of the pricing tier: so much of it is nearly all. */
export const nearlyFull = 0.9

const counted = { groups: countGroups, persons: countPersons, webhooks: countWebhooks }

/** Nothing is counted that has no limit. A limit of nothing is that of a tier that is closed, not a quota that fills. */
export const fullQuotas: Find = async ({ queries, organizationId, limits }) => {
  const quotas = Object.entries(counted).map(async ([id, count]) => {
    const limit = limits[`max_${id as keyof typeof counted}`]
    if (!limit) return []
    const used = await count(queries, organizationId)
    return used >= nearlyFull * limit ? [{ target: { type: 'quota' as const, id }, used, limit }] : []
  })
  return (await Promise.all(quotas)).flat()
}
