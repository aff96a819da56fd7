import { type Static, Type } from 'typebox'
import type { Transaction } from '../../ground/database/database.ts'
import { badRequest, conflict } from '../../ground/errors.ts'
import type { Rest } from '../../ground/http/chain/operation.ts'
import type { RecordChange } from '../../ground/http/chain/recorded-change.ts'
import {
  CreatedAt,
  closed,
  Name,
  named,
  orAbsent,
  ShownName,
  Timestamp,
  Uuid,
} from '../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { makeApiKey } from './api-key.ts'
import { type ApiKey, countKeys, insertApiKey, type NewApiKey, removeExpiredKeys } from './api-key-store.ts'
import { givenScopes, readScopesOf, refuseBoth, shownGrant, shownScopes } from './key-scopes.ts'

export const keyFields = {
  // The audit log names the key to everybody who reads it.
  name: { ...ShownName, examples: ['Deployment'] },
  expires_at: {
    ...Timestamp,
    description: 'From then on the key is refused. Absent: it does not expire.',
    examples: ['2037-01-01T00:00:00.000Z'],
  },
  read_only: Type.Boolean({
    description: 'Whether the key is refused for all that writes: it has the scopes that read. Default: false.',
    examples: [false],
  }),
}

export const ApiKeyRequest = named(
  'NewApiKey',
  closed(
    {
      name: Type.Optional(orAbsent(keyFields.name)),
      expires_at: Type.Optional(keyFields.expires_at),
      scopes: Type.Optional(givenScopes),
      read_only: Type.Optional(keyFields.read_only),
    },
    { examples: [{ name: 'Deployment', expires_at: '2037-01-01T00:00:00.000Z', scopes: ['webhooks:write'] }] },
  ),
)

const fields = {
  id: { ...Uuid, description: 'The id of the key, which is not the key itself.' },
  name: Type.Optional({ ...Name, examples: ['Deployment'] }),
  scopes: shownScopes,
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

type Shown = Omit<ApiKey, 'last_used_at'> & Partial<ApiKey>

/** Leaves out fields that are null. */
export const toRecord = (key: Shown) =>
  Object.fromEntries(Object.entries({ ...key, ...shownGrant(key) }).filter(([, value]) => value !== null))

type MadeKey = { apiKey: string; key: NewApiKey }

/** Makes a key, and the row that is stored for it. Throws as `keyRules` do. */
export function newApiKey(organizationId: string, request: Static<typeof ApiKeyRequest>, now: number): MadeKey {
  const { key: apiKey, hash } = makeApiKey(organizationId)
  const key = {
    id: makeId(now),
    name: request.name ?? null,
    ...readScopesOf(request),
    created_at: new Date(now),
    expires_at: request.expires_at === undefined ? null : readExpiry(request.expires_at, now),
  }
  return { apiKey, key: { ...key, hash } }
}

type Request = Rest<Static<typeof ApiKeyRequest>>

/** The rules of a new key; each throws a 400. */
export const keyRules = ({ now }: Clock) => [
  ({ body }: { body: Request }) => body.expires_at === undefined || readExpiry(body.expires_at, now()),
  ({ body }: { body: Request }) => refuseBoth(body),
]

function readExpiry(text: string, now: number): Date {
  const time = Date.parse(text)
  if (time <= now) throw badRequest('invalid_value', 'expires_at: must be in the future')
  return new Date(time)
}

/**
 * Adds a key, or throws a 409 where there are `maxKeys`. Expired keys are removed first, so their number is bounded too.
 * Call it only under the organization's lock.
 */
export async function addApiKey(
  tx: Transaction,
  organizationId: string,
  { apiKey, key }: MadeKey,
  { now, maxKeys, record }: { now: number; maxKeys: number; record: RecordChange },
) {
  await removeExpiredKeys(tx, organizationId, toTimestamp(now))
  if ((await countKeys(tx, organizationId)) >= maxKeys)
    throw conflict('limit_reached', `API keys: there are ${maxKeys} already; revoke one`)
  await insertApiKey(tx, organizationId, key)
  const { hash, ...shown } = key
  const after = { ...toRecord(shown), api_key: apiKey }
  await record(tx, organizationId, { target: { type: 'api_key', id: key.id }, after })
  return after
}
