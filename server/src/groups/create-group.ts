import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import { closed, Description, named } from '../http/schemas.ts'
import { withinLimit } from '../organizations/index.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { GroupName } from './group-name.ts'
import { GroupRecord } from './group-record.ts'
import { countGroups, insertGroup } from './group-store.ts'

const NewGroup = named('NewGroup', closed({ name: GroupName, description: Type.Optional(Description) }))

export const createGroup = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'createGroup',
    method: 'POST',
    path: '/groups',
    access: 'key',
    scope: 'groups:write',
    tag: 'Groups',
    summary: 'Create a group',
    description:
      'When a group of that name exists, nothing changes and the response is that group, also where the pricing tier allows ' +
      'no more groups.',
    body: NewGroup,
    status: 201,
    result: GroupRecord,
    refusals: [402],
    handle: async ({ organizationId, limits, body: { name, description = '' } }) => {
      const wanted = { name, description, createdAt: toTimestamp(clock.now()) }
      const limit = limits.max_groups
      if (limit === undefined) return insertGroup(database.write, organizationId, wanted)
      return database.transaction(async (tx) => {
        const group = await insertGroup(tx, organizationId, wanted)
        // Counted after the insert: only then is it certain that the group is new, also when two requests create it at once.
        const count = () => countGroups(tx, organizationId)
        if (group.is_new) await withinLimit(tx, organizationId, { limit, adding: 0, count, what: 'groups' })
        return group
      })
    },
  })
