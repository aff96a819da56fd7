import type { Database, Transaction } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { keyNotValid, sessionEnded } from '../../ground/errors.ts'
import { operation, type Principal } from '../../ground/http/chain/operation.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { findKey } from './api-key-store.ts'
import { givenBy, requireWithin } from './key-scopes.ts'
import { ApiKeyRequest, addApiKey, CreatedApiKey, keyRules, newApiKey } from './new-api-key.ts'

const maxKeys = 100

type Dependencies = {
  database: Database
  clock: Clock
  /** Whether the person still is an owner. */
  isOwner: (tx: Transaction, organizationId: string, personId: string) => Promise<boolean>
}

export const createApiKey = ({ database, clock, isOwner }: Dependencies) => {
  /** What ended while the call waited for the lock must not live on in another key. */
  const requireStill = async (tx: Transaction, organizationId: string, principal: Principal | undefined) => {
    if (principal?.type === 'person') {
      if (!(await isOwner(tx, organizationId, principal.id))) throw sessionEnded()
    } else if (!principal || !(await findKey(tx, organizationId, principal.id))) throw keyNotValid()
  }
  return operation({
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
        await requireStill(tx, organizationId, principal)
        return addApiKey(tx, organizationId, made, { now, maxKeys, record })
      })
    },
  })
}
