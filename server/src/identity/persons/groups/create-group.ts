import { Type } from 'typebox'
import type { Database, Queries } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, Description, named, orAbsent } from '../../../ground/http/chain/schemas.ts'
import { withinLimit } from '../../../ground/limits/index.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { GroupName } from './group-name.ts'
import { GroupRecord } from './group-record.ts'
import { countGroups, createdGroup, insertGroup } from './group-store.ts'

const NewGroup = named('NewGroup', closed({ name: GroupName, description: Type.Optional(orAbsent(Description)) }))

export const createGroup = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'createGroup',
    method: 'POST',
    path: '/groups',
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
    handle: async ({ organizationId, limits, record, body }) => {
      const { name } = body
      const description = body.description ?? ''
      const createdAt = toTimestamp(clock.now())
      const after = { name, description, members_count: 0, created_at: createdAt }
      const entry = record.within(organizationId, { target: { type: 'group', id: name }, after }, createdGroup)
      const insert = (queries: Queries) => insertGroup(queries, organizationId, { name, description, createdAt }, entry)
      const limit = limits.max_groups
      if (limit === undefined) return insert(database.write)
      return database.transaction(async (tx) => {
        const group = await insert(tx)
        // Counted after the insert: only then is it certain that the group is new, also when two requests create it at once.
        const count = () => countGroups(tx, organizationId)
        if (group.is_new) await withinLimit(tx, organizationId, { limit, adding: 0, count, what: 'groups' })
        return group
      })
    },
  })
