import type { Database, Queries } from '../database/database.ts'
import type { Authentication } from '../http/authentication.ts'
import { createGathering } from '../runtime/batching.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { equalSecrets, readApiKey } from './api-key.ts'
import { existsKey, type FoundKey, findKeyByHash } from './api-key-store.ts'
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

type Given = { organizationId: string; hash: Buffer }

/** Requests with one key that share a look-up. */
const maxTogether = 100

/**
 * Says which key may speak for which organization. Requests that come with one key while it is looked up share the next
 * look-up; for what cannot be a key of that organization there is none.
 * A revoked key, or the keys of a deleted organization, are refused from the very next request on: nothing is cached, and
 * no look-up that began before a request serves it.
 */
export function createAuthentication({ database, clock, operatorKey, tiers }: Dependencies): Authentication {
  const uses = createKeyUses({ database, clock })
  const findKey = createGathering<Given, FoundKey | undefined>(maxTogether, async (_, given) => {
    const [{ organizationId, hash }] = given as [Given]
    const key = await findKeyByHash(database.read, organizationId, hash, toTimestamp(clock.now()))
    return given.map(() => key)
  })
  return {
    authenticateKey: async (organizationId, apiKey) => {
      const given = readApiKey(apiKey)
      if (given?.organizationId !== organizationId) return undefined
      const key = await findKey(given.hash.toString('base64'), given)
      if (!key) return undefined
      if (key.is_expired) return 'expired'
      uses.note({ organizationId, keyId: key.id })
      return { keyId: key.id, readOnly: key.read_only, limits: limitsOf(tiers, key.pricing_tier) }
    },
    organizationExists: (organizationId) =>
      existedAt(database.read, organizationId, toTimestamp(clock.now() - deletedKeptMs)),
    isOperatorKey: (key) => operatorKey !== undefined && equalSecrets(key, operatorKey),
  }
}
