import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { conflict, notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { idInPath } from '../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { findKey, removeKey } from './api-key-store.ts'
import { requireWithin } from './key-scopes.ts'
import { toRecord } from './new-api-key.ts'

export const revokeApiKey = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'revokeApiKey',
    method: 'DELETE',
    path: '/organizations/api-keys/:id',
    scope: 'api-keys:write',
    recentSignIn: true,
    tag: 'API keys',
    summary: 'Revoke an API key',
    description:
      'From then on the key is refused. The last admin key that has not expired cannot be revoked (409), so that no ' +
      'organization locks itself out; one that will expire later counts as such a key. A key whose scopes or expiry lie ' +
      'beyond those of the key that asks is not revoked (403).',
    params: Type.Object({ id: idInPath('The id of the key, not the key itself.') }),
    status: 204,
    refusals: [409],
    handle: async ({ organizationId, principal, record, params: { id } }) => {
      if (!isUuid(id)) throw notFound('API key')
      await database.transaction(async (tx) => {
        await lockOrganization(tx, organizationId)
        const key = await findKey(tx, organizationId, id)
        if (!key) throw notFound('API key')
        requireWithin(principal, key)
        if ((await removeKey(tx, organizationId, id, toTimestamp(clock.now()))) === 'last admin key')
          throw conflict('last_admin_key', 'API key: the last admin key cannot be revoked')
        await record(tx, organizationId, { target: { type: 'api_key', id: key.id }, before: toRecord(key) })
      })
    },
  })
