import { type Clock, toTimestamp } from '../clock.ts'
import type { Database, Queries } from '../database/database.ts'
import type { Authentication } from '../http/app.ts'
import { equalSecrets, hashApiKey } from './api-key.ts'
import { findOwner, findValidKey } from './api-key-store.ts'
import { createKeyUses } from './key-uses.ts'
import { existedAt } from './organization-store.ts'
import { deletedKeptMs } from './purge-organizations.ts'
import { limitsOf, type Tiers } from './tiers.ts'

/** The organization that this key speaks for. */
export async function organizationOfKey(queries: Queries, apiKey: string): Promise<string | undefined> {
  const hash = hashApiKey(apiKey)
  return hash && findOwner(queries, hash)
}

type Dependencies = { database: Database; clock: Clock; operatorKey: string | undefined; tiers: Tiers }

/**
 * Says which key may speak for which organization: one look-up for each request, none for what cannot be a key.
 * A revoked key, or the keys of a deleted organization, are refused from the very next request on: nothing is cached.
 */
export function createAuthentication({ database, clock, operatorKey, tiers }: Dependencies): Authentication {
  const uses = createKeyUses({ database, clock })
  return {
    authenticateKey: async (organizationId, apiKey) => {
      const hash = hashApiKey(apiKey)
      if (!hash) return undefined
      const key = await findValidKey(database.read, organizationId, hash, toTimestamp(clock.now()))
      if (!key) return undefined
      uses.note({ organizationId, keyId: key.id })
      return { keyId: key.id, readOnly: key.read_only, limits: limitsOf(tiers, key.pricing_tier) }
    },
    organizationExists: (organizationId) =>
      existedAt(database.read, organizationId, toTimestamp(clock.now() - deletedKeptMs)),
    isOperatorKey: (key) => operatorKey !== undefined && equalSecrets(key, operatorKey),
  }
}
