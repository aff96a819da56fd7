import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { rule } from '../../../ground/http/chain/schemas.ts'
import { GroupName } from './group-name.ts'
import { pageOfGroupNames } from './group-store.ts'

export const GroupPrefix = Type.Optional(
  Type.String({
    maxLength: 100,
    ...rule('must be at most 100 characters'),
    description: 'Only those whose name begins with this. Case-sensitive, as names are.',
    examples: ['eng'],
  }),
)

export const listGroups = ({ database }: { database: Database }) =>
  operation({
    id: 'listGroups',
    method: 'GET',
    path: '/groups',
    scope: 'groups:read',
    tag: 'Groups',
    summary: 'List the groups',
    description: 'Their names, sorted as bytes: capital letters come before small ones.',
    query: Type.Object({
      name: GroupPrefix,
    }),
    result: GroupName,
    paged: true,
    handle: ({ organizationId, query: { name = '', ...page } }) =>
      pageOfGroupNames(database.pages, organizationId, name, page),
  })
