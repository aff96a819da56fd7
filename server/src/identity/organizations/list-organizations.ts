import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { Name, Uuid } from '../../ground/http/chain/schemas.ts'
import { ListedOrganizationRecord } from './organization-record.ts'
import { pageOfOrganizations } from './organization-store.ts'

export const listOrganizations = ({ database }: { database: Database }) =>
  operation({
    id: 'listOrganizations',
    method: 'GET',
    path: '/organizations',
    access: 'operator',
    tag: 'Organizations',
    summary: 'List the organizations',
    description: 'The newest first. Deleted ones, and those that have left for another cell, are not listed.',
    query: Type.Object({
      id: Type.Optional({ ...Uuid, description: 'Only the organization with this id.' }),
      name: Type.Optional({
        ...Name,
        description: 'Only those whose name begins with this; capital letters count as small ones.',
        examples: ['ac'],
      }),
    }),
    result: ListedOrganizationRecord,
    paged: true,
    handle: ({ query: { limit, offset, ...search } }) => pageOfOrganizations(database.pages, search, { limit, offset }),
  })
