import { type Static, Type } from 'typebox'
import type { Transaction } from '../database/database.ts'
import { badRequest, conflict } from '../errors.ts'
import type { Rest } from '../http/operation.ts'
import { CreatedAt, closed, Name, named, Timestamp, Uuid } from '../http/schemas.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import { makeApiKey } from './api-key.ts'
import { type ApiKey, countKeys, insertApiKey, type NewApiKey, removeExpiredKeys } from './api-key-store.ts'

const keyFields = {
  name: { ...Name, examples: ['Deployment'] },
  expires_at: {
    ...Timestamp,
    description: 'From then on the key is refused. Absent: it does not expire.',
    examples: ['2037-01-01T00:00:00.000Z'],
  },
  read_only: Type.Boolean({
    description: 'Whether the key is refused for all that writes. Default: false.',
    examples: [false],
  }),
}

export const ApiKeyRequest = named(
  'NewApiKey',
  closed({
    name: Type.Optional(keyFields.name),
    expires_at: Type.Optional(keyFields.expires_at),
    read_only: Type.Optional(keyFields.read_only),
  }),
)

const fields = {
  id: { ...Uuid, description: 'The id of the key, which is not the key itself.' },
  name: Type.Optional(keyFields.name),
  read_only: keyFields.read_only,
  created_at: CreatedAt,
  expires_at: Type.Optional(keyFields.expires_at),
}
export const ApiKeyRecord = named(
  'ApiKey',
  Type.Object(
    {
      ...fields,
      last_used_at: Type.Optional({ ...Timestamp, description: 'When it was last used, to the minute.' }),
    },
    { description: 'An API key, without the key itself.' },
  ),
)
export const createdKey = Type.String({
  description: 'The key itself, which is shown this once.',
  examples: ['signet_01a1fdec4b5872798a15173fda3083f70000000000000000000000000000000000000000000000000000'],
})
export const CreatedApiKey = named(
  'CreatedApiKey',
  Type.Object({ ...fields, api_key: createdKey }, { description: 'A new API key.' }),
)

/** Leaves out fields that are null. */
export const toRecord = (key: Partial<ApiKey>) =>
  Object.fromEntries(Object.entries(key).filter(([, value]) => value !== null))

/** Makes a key, and the row that is stored for it. Throws a 400 when it would be expired from the start. */
export function newApiKey(
  organizationId: string,
  request: Static<typeof ApiKeyRequest>,
  now: number,
): { apiKey: string; key: NewApiKey } {
  const { apiKey, hash } = makeApiKey(organizationId)
  const key = {
    id: makeId(now),
    name: request.name ?? null,
    read_only: request.read_only ?? false,
    created_at: new Date(now),
    expires_at: request.expires_at === undefined ? null : readExpiry(request.expires_at, now),
  }
  return { apiKey, key: { ...key, hash } }
}

/** Throws as `newApiKey` does. */
export const checkExpiry = ({ expires_at }: Rest<Static<typeof ApiKeyRequest>>, now: number) =>
  expires_at === undefined || readExpiry(expires_at, now)

function readExpiry(text: string, now: number): Date {
  const time = Date.parse(text)
  if (time <= now) throw badRequest('expires_at: must be in the future')
  return new Date(time)
}

/**
 * Adds a key, or throws a 409 where there are `maxKeys`. Expired keys are removed first, so their number is bounded too.
 * Call it only under the organization's lock.
 */
export async function addApiKey(
  tx: Transaction,
  organizationId: string,
  request: Static<typeof ApiKeyRequest>,
  { now, maxKeys }: { now: number; maxKeys: number },
) {
  const { apiKey, key } = newApiKey(organizationId, request, now)
  await removeExpiredKeys(tx, organizationId, toTimestamp(now))
  if ((await countKeys(tx, organizationId)) >= maxKeys)
    throw conflict(`API keys: there are ${maxKeys} already; revoke one`)
  await insertApiKey(tx, organizationId, key)
  const { hash, ...shown } = key
  return { ...toRecord(shown), api_key: apiKey }
}
