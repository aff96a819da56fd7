import type { Database, Queries } from '../../ground/database/database.ts'
import type { Authentication } from '../../ground/http/chain/authentication.ts'
import type { Principal } from '../../ground/http/chain/operation.ts'
import { createBatcher } from '../../ground/runtime/batching.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { equalSecrets, readApiKey } from './api-key.ts'
import { existsKey, type FoundKey, findKeyByHash, findKeyById, noteKeyUses } from './api-key-store.ts'
import { grantedBy } from './key-scopes.ts'
import { createKeyUses } from './key-uses.ts'
import { refuseIfMoving } from './move-mark-store.ts'
import { type OperatorGroup, operatorsIn } from './operator-group.ts'
import { existedAt } from './organization-store.ts'
import { deletedKeptMs } from './purge-organizations.ts'
import { limitsOf, type Tiers } from './tiers.ts'

/** The organization that this key speaks for, if there are such a key and organization. */
export async function organizationOfKey(queries: Queries, apiKey: string): Promise<string | undefined> {
  const key = readApiKey(apiKey)
  return key && (await existsKey(queries, key.organizationId, key.hash)) ? key.organizationId : undefined
}

type Dependencies = {
  database: Database
  clock: Clock
  operatorKey: () => string | undefined
  operatorGroup: OperatorGroup | undefined
  tiers: Tiers
}

/** What it knows of keys. */
export type KeyAuthentication = Pick<
  Authentication,
  'authenticateKey' | 'organizationExists' | 'refuseIfMoving' | 'isOperatorKey'
> & {
  /** The same for a key whose holder has shown it earlier. */
  authenticateKeyId(organizationId: string, keyId: string): Promise<Principal | 'expired' | undefined>
}

type Lookup = { organizationId: string; hash: Buffer }

/** How many requests with one key share a look-up at most. */
const maxTogether = 100

/**
 * Says whether a key may speak for an organization. Requests that arrive while their key is looked up share the next look-up.
 * A text that cannot be a key of that organization is refused without one.
 * A revoked key and the keys of a deleted organization are refused from the very next request on: nothing is cached, and
 * no look-up that began before a request serves it.
 * The keys of an organization that moves are not found: then, and only then, it is looked for among those.
 */
export function createAuthentication({
  database,
  clock,
  operatorKey,
  operatorGroup,
  tiers,
}: Dependencies): KeyAuthentication {
  const uses = createKeyUses(clock, (...noted) => noteKeyUses(database.write, ...noted))
  const findKey = createBatcher<Lookup, FoundKey | undefined>(maxTogether, async (_, lookups) => {
    const [{ organizationId, hash }] = lookups as [Lookup]
    const key = await findKeyByHash(database.read, organizationId, hash, toTimestamp(clock.now()))
    return lookups.map(() => key)
  })
  const accept = async (
    organizationId: string,
    key: FoundKey | undefined,
  ): Promise<Principal | 'expired' | undefined> => {
    if (!key) {
      await refuseIfMoving(database.read, organizationId)
      return undefined
    }
    if (key.is_expired) return 'expired'
    const { id, name, read_only: readOnly, expires_at: expiresAt } = key
    uses.note({ organizationId, keyId: id })
    const limits = limitsOf(tiers, key.pricing_tier)
    const guardedGroup = operatorsIn(operatorGroup, organizationId)
    return { type: 'key', id, name, isAdmin: !readOnly, scopes: grantedBy(key), guardedGroup, expiresAt, limits }
  }
  return {
    authenticateKey: async (organizationId, apiKey) => {
      const lookup = readApiKey(apiKey)
      if (lookup?.organizationId !== organizationId) return undefined
      return accept(organizationId, await findKey(lookup.hash.toString('base64'), lookup))
    },
    authenticateKeyId: async (organizationId, keyId) =>
      accept(organizationId, await findKeyById(database.read, organizationId, keyId, toTimestamp(clock.now()))),
    organizationExists: (organizationId) =>
      existedAt(database.read, organizationId, toTimestamp(clock.now() - deletedKeptMs)),
    refuseIfMoving: (organizationId) => refuseIfMoving(database.read, organizationId),
    isOperatorKey: (key) => {
      const own = operatorKey()
      return own !== undefined && equalSecrets(key, own)
    },
  }
}
