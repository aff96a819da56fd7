import { Type } from 'typebox'
import type { Database, Queries } from '../../ground/database/database.ts'
import { type Limits, operation } from '../../ground/http/chain/operation.ts'
import { named } from '../../ground/http/chain/schemas.ts'

type Usage = { groups: number; persons: number; webhooks: number }
type CountUsage = (queries: Queries, organizationId: string) => Promise<Usage>
export type UsageDependencies = { database: Database; countUsage: CountUsage }

const used = (things: string) =>
  Type.Object(
    {
      used: Type.Integer({ description: 'How many there are.', examples: [12] }),
      limit: Type.Optional(Type.Integer({ description: 'How many there may be. Absent: no limit.', examples: [1000] })),
    },
    { description: `${things} of the organization.` },
  )

export const UsageRecord = named(
  'Usage',
  Type.Object(
    { groups: used('Groups'), persons: used('Persons'), webhooks: used('Webhooks') },
    { description: 'How much of each limit of the pricing tier is used.' },
  ),
)

/** On a connection for writes, not on the shared reader: short reads would wait while a million persons are counted. */
export async function readUsage({ database, countUsage }: UsageDependencies, organizationId: string, limits: Limits) {
  const { groups, persons, webhooks } = await countUsage(database.write, organizationId)
  return {
    groups: { used: groups, limit: limits.max_groups },
    persons: { used: persons, limit: limits.max_persons },
    webhooks: { used: webhooks, limit: limits.max_webhooks },
  }
}

export const getUsage = (dependencies: UsageDependencies) =>
  operation({
    id: 'getUsage',
    method: 'GET',
    path: '/organizations/quota/usage',
    scope: 'settings:read',
    tag: 'Quota',
    summary: 'Get the usage',
    description: 'How much of each limit of the pricing tier is used.',
    result: UsageRecord,
    handle: ({ organizationId, limits }) => readUsage(dependencies, organizationId, limits),
  })
