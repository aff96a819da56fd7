import type { Database } from '../database/database.ts'
import { keyNotValid } from '../errors.ts'
import { operation } from '../http/operation.ts'
import type { Clock } from '../runtime/clock.ts'
import { ApiKeyRequest, addApiKey, CreatedApiKey, checkExpiry } from './new-api-key.ts'
import { lockOrganization } from './organization-store.ts'

const maxKeys = 100

export const createApiKey = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'createApiKey',
    method: 'POST',
    path: '/organizations/api-keys',
    access: 'key',
    tag: 'API keys',
    summary: 'Create an API key',
    description:
      'The key is shown this once. Several keys may be valid at once, so that they can be changed without a gap; an ' +
      `organization has at most ${maxKeys} (409). Expired keys are removed to make room.`,
    body: ApiKeyRequest,
    rules: [({ body }) => checkExpiry(body, clock.now())],
    status: 201,
    result: CreatedApiKey,
    refusals: [409],
    handle: ({ organizationId, body }) =>
      database.transaction(async (tx) => {
        if (!(await lockOrganization(tx, organizationId))) throw keyNotValid()
        return addApiKey(tx, organizationId, body, { now: clock.now(), maxKeys })
      }),
  })
