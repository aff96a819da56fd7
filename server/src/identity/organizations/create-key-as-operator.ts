import type { Database } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { notServed } from './move-mark-store.ts'
import { ApiKeyRequest, addApiKey, CreatedApiKey, keyRules, newApiKey } from './new-api-key.ts'
import { OrganizationPath, organizationIdIn } from './organization-record.ts'

/** Above the organization's own limit: it may have lost its keys with that limit reached. */
const maxKeys = 110

export const createKeyAsOperator = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'createOrganizationApiKey',
    method: 'POST',
    path: '/organizations/:id/api-keys',
    access: 'operator',
    recentSignIn: true,
    tag: 'Organizations',
    summary: 'Create an API key for an organization',
    description:
      'For an organization that has lost its keys: without `scopes` and `read_only` it is an admin key. The key is shown ' +
      'this once.',
    params: OrganizationPath,
    body: ApiKeyRequest,
    rules: keyRules(clock),
    status: 201,
    result: CreatedApiKey,
    refusals: [409],
    handle: async ({ params, record, body }) => {
      const organizationId = organizationIdIn(params)
      return database.transaction(async (tx) => {
        if (!(await lockOrganization(tx, organizationId))) throw await notServed(tx, organizationId)
        const now = clock.now()
        return addApiKey(tx, organizationId, newApiKey(organizationId, body, now), { now, maxKeys, record })
      })
    },
  })
