import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { named } from '../../../ground/http/chain/schemas.ts'
import { GroupRecord } from './group-record.ts'
import { maxMembersCounted, pageOfGroupRecords } from './group-store.ts'
import { GroupPrefix } from './list-groups.ts'

const most = maxMembersCounted.toLocaleString('en')

const ListedGroup = named(
  'ListedGroup',
  Type.Object(
    {
      ...GroupRecord.properties,
      members_count: Type.Integer({
        description: `How many persons are in the group; ${most} stands for that many or more.`,
        examples: [12],
      }),
    },
    { description: 'A group of persons, in a list.' },
  ),
)

export const listGroupRecords = ({ database }: { database: Database }) =>
  operation({
    id: 'listGroupRecords',
    method: 'GET',
    path: '/organizations/groups',
    scope: 'groups:read',
    tag: 'Groups',
    summary: 'List the groups with their members counted',
    description: `What \`GET /groups\` lists by name, in the same order, each as a record. Members are counted up to ${most}.`,
    query: Type.Object({ name: GroupPrefix }),
    result: ListedGroup,
    paged: true,
    handle: ({ organizationId, query: { name = '', ...page } }) =>
      pageOfGroupRecords(database.pages, organizationId, name, page),
  })
