import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, idInPath, named, nullable } from '../../ground/http/chain/schemas.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { findKeyToChange, renameKey } from './api-key-store.ts'
import { requireWithin } from './key-scopes.ts'
import { ApiKeyRecord, keyFields, toRecord } from './new-api-key.ts'

const ApiKeyChanges = named('ApiKeyChanges', closed({ name: Type.Optional(nullable(keyFields.name)) }))

export const changeApiKey = ({ database }: { database: Database }) =>
  operation({
    id: 'changeApiKey',
    method: 'PATCH',
    path: '/organizations/api-keys/:id',
    scope: 'api-keys:write',
    tag: 'API keys',
    summary: 'Rename an API key',
    description:
      'The key itself, its scopes and its expiry stay as they are. Without `name` nothing changes; null removes it. A key whose scopes ' +
      'or expiry lie beyond those of the key that asks is not renamed (403). The audit log keeps the name that a key had at each entry.',
    params: Type.Object({ id: idInPath('The id of the key, not the key itself.') }),
    body: ApiKeyChanges,
    result: ApiKeyRecord,
    handle: ({ organizationId, principal, record, params: { id }, body: { name } }) =>
      database.transaction(async (tx) => {
        const key = isUuid(id) && (await findKeyToChange(tx, organizationId, id))
        if (!key) throw notFound('API key')
        requireWithin(principal, key)
        const renamed = name === undefined ? key : { ...key, name }
        if (renamed.name !== key.name) await renameKey(tx, organizationId, key.id, renamed.name)
        const after = toRecord(renamed)
        await record(tx, organizationId, { target: { type: 'api_key', id: key.id }, before: toRecord(key), after })
        return after
      }),
  })
