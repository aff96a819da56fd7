import { Type } from 'typebox'
import type { Database, Queries } from '../database/database.ts'
import { operation } from '../http/operation.ts'

type Usage = { groups: number; persons: number; webhooks: number }
type CountUsage = (queries: Queries, organizationId: string) => Promise<Usage>

const Used = Type.Object({
  used: Type.Integer(),
  limit: Type.Optional(Type.Integer({ description: 'Absent: no limit.' })),
})

export const getUsage = ({ database, countUsage }: { database: Database; countUsage: CountUsage }) =>
  operation({
    method: 'GET',
    path: '/organizations/quota/usage',
    access: 'key',
    tag: 'Quota',
    summary: 'Get the usage',
    description: 'How much of each limit of the pricing tier is used.',
    status: 200,
    result: Type.Object({ groups: Used, persons: Used, webhooks: Used }),
    handle: async ({ organizationId, limits }) => {
      // Not on the shared reader: counting a million persons takes its time, and short reads would wait behind it.
      const { groups, persons, webhooks } = await countUsage(database.write, organizationId)
      return {
        groups: { used: groups, limit: limits.max_groups },
        persons: { used: persons, limit: limits.max_persons },
        webhooks: { used: webhooks, limit: limits.max_webhooks },
      }
    },
  })
