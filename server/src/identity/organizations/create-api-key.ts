import type { Database } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { keyNotValid } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { givenBy, requireWithin } from './key-scopes.ts'
import { ApiKeyRequest, addApiKey, CreatedApiKey, keyRules, newApiKey } from './new-api-key.ts'
import { type IsOwner, requireStill } from './require-still.ts'

const maxKeys = 100

type Dependencies = {
  database: Database
  clock: Clock
  isOwner: IsOwner
}

export const createApiKey = ({ database, clock, isOwner }: Dependencies) =>
  operation({
    id: 'createApiKey',
    method: 'POST',
    path: '/organizations/api-keys',
    scope: 'api-keys:write',
    recentSignIn: true,
    tag: 'API keys',
    summary: 'Create an API key',
    description:
      'The key is shown this once. Several keys may be valid at once, so that they can be changed without a gap; an ' +
      `organization has at most ${maxKeys} (409). Expired keys are removed to make room.\n\nIts scopes and its expiry must lie ` +
      'within those of the key that asks (403): one that expires makes none that does not, or that expires later.',
    body: ApiKeyRequest,
    rules: keyRules(clock),
    status: 201,
    result: CreatedApiKey,
    confidentialOf: 'id',
    refusals: [409],
    handle: async ({ organizationId, principal, record, body }) => {
      const now = clock.now()
      const { apiKey, key: asked } = newApiKey(organizationId, body, now)
      requireWithin(principal, asked)
      const made = { apiKey, key: { ...asked, ...givenBy(principal, asked) } }
      return database.transaction(async (tx) => {
        if (!(await lockOrganization(tx, organizationId))) throw keyNotValid()
        await requireStill(tx, organizationId, principal, isOwner)
        return addApiKey(tx, organizationId, made, { now, maxKeys, record })
      })
    },
  })
