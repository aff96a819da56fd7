import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { GroupName, pageOfGroups } from './groups/index.ts'
import { PersonPath, personIdIn } from './person-record.ts'

export const listPersonGroups = ({ database }: { database: Database }) =>
  operation({
    id: 'listPersonGroups',
    method: 'GET',
    path: '/persons/:person_id/groups',
    scope: 'groups:read',
    tag: 'Persons',
    summary: 'List the groups of a person',
    description: 'Their names, sorted as bytes.',
    params: PersonPath,
    result: GroupName,
    paged: true,
    handle: async ({ organizationId, params, query }) => {
      const page = await pageOfGroups(database.pages, organizationId, personIdIn(params), query)
      if (!page) throw notFound('person')
      return page
    },
  })
