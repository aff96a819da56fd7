import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { closed, Description, named, nullable } from '../http/schemas.ts'
import { GroupPath, GroupRecord } from './group-record.ts'
import { updateGroup } from './group-store.ts'

const GroupChanges = named('GroupChanges', closed({ description: Type.Optional(nullable(Description)) }))

export const changeGroup = ({ database }: { database: Database }) =>
  operation({
    id: 'changeGroup',
    method: 'PATCH',
    path: '/groups/:group_name',
    access: 'key',
    scope: 'groups:write',
    tag: 'Groups',
    summary: 'Change the description of a group',
    description: 'What is absent stays; `null` empties the description. The name of a group does not change.',
    params: GroupPath,
    body: GroupChanges,
    status: 200,
    result: GroupRecord,
    handle: async ({ organizationId, params, body }) => {
      const changes = { description: body.description === null ? '' : body.description }
      const group = await updateGroup(database.write, organizationId, params.group_name, changes)
      if (!group) throw notFound('group')
      return group
    },
  })
