import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { pageOfKeys } from './api-key-store.ts'
import { ApiKeyRecord, toRecord } from './new-api-key.ts'

export const listApiKeys = ({ database }: { database: Database }) =>
  operation({
    id: 'listApiKeys',
    method: 'GET',
    path: '/organizations/api-keys',
    scope: 'api-keys:read',
    tag: 'API keys',
    summary: 'List the API keys',
    description: 'The newest first, expired ones among them; never the keys themselves.',
    result: ApiKeyRecord,
    paged: true,
    handle: async ({ organizationId, query }) => {
      const { items, totalCount } = await pageOfKeys(database.pages, organizationId, query)
      return { items: items.map(toRecord), totalCount }
    },
  })
