import type { Database, Queries } from '../database/database.ts'
import type { Authentication } from '../http/authentication.ts'
import { createBatcher } from '../runtime/batching.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { equalSecrets, readApiKey } from './api-key.ts'
import { existsKey, type FoundKey, findKeyByHash } from './api-key-store.ts'
import { grantedBy } from './key-scopes.ts'
import { createKeyUses } from './key-uses.ts'
import { existedAt } from './organization-store.ts'
import { deletedKeptMs } from './purge-organizations.ts'
import { limitsOf, type Tiers } from './tiers.ts'

/** The organization that this key speaks for, if there are such a key and organization. */
export async function organizationOfKey(queries: Queries, apiKey: string): Promise<string | undefined> {
  const key = readApiKey(apiKey)
  return key && (await existsKey(queries, key.organizationId, key.hash)) ? key.organizationId : undefined
}

type Dependencies = { database: Database; clock: Clock; operatorKey: string | undefined; tiers: Tiers }

type Lookup = { organizationId: string; hash: Buffer }

/** How many requests with one key share a look-up at most. */
const maxTogether = 100

/**
 * Says whether a key may speak for an organization. Requests that arrive while their key is looked up share the next look-up.
 * A text that cannot be a key of that organization is refused without one.
 * A revoked key and the keys of a deleted organization are refused from the very next request on: nothing is cached, and
 * no look-up that began before a request serves it.
 */
export function createAuthentication({ database, clock, operatorKey, tiers }: Dependencies): Authentication {
  const uses = createKeyUses({ database, clock })
  const findKey = createBatcher<Lookup, FoundKey | undefined>(maxTogether, async (_, lookups) => {
    const [{ organizationId, hash }] = lookups as [Lookup]
    const key = await findKeyByHash(database.read, organizationId, hash, toTimestamp(clock.now()))
    return lookups.map(() => key)
  })
  return {
    authenticateKey: async (organizationId, apiKey) => {
      const lookup = readApiKey(apiKey)
      if (lookup?.organizationId !== organizationId) return undefined
      const key = await findKey(lookup.hash.toString('base64'), lookup)
      if (!key) return undefined
      if (key.is_expired) return 'expired'
      uses.note({ organizationId, keyId: key.id })
      return {
        ...{ keyId: key.id, isAdmin: !key.read_only, scopes: grantedBy(key), expiresAt: key.expires_at },
        limits: limitsOf(tiers, key.pricing_tier),
      }
    },
    organizationExists: (organizationId) =>
      existedAt(database.read, organizationId, toTimestamp(clock.now() - deletedKeptMs)),
    isOperatorKey: (key) => operatorKey !== undefined && equalSecrets(key, operatorKey),
  }
}
