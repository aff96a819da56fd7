import type { Database } from '../../../ground/database/database.ts'
import type { Limits } from '../../../ground/http/chain/operation.ts'
import { createBatcher } from '../../../ground/runtime/batching.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { createKeyUses, limitsOf, refuseIfMoving, type Tiers } from '../../organizations/index.ts'
import type { Directory } from '../directory-store.ts'
import { parseDirectoryToken } from './token-form.ts'
import { findDirectoryByToken, noteTokenUses } from './token-store.ts'

/** How many requests with one token share a look-up at most. */
const maxTogether = 100

type Lookup = { organizationId: string; hash: Buffer }
type Accepted = { directory: Directory; limits: Limits }
/** `text`: what was sent as the bearer token. Undefined: it speaks for no directory of this organization. */
export type AuthenticateDirectory = (organizationId: string, text: string) => Promise<Accepted | 'expired' | undefined>

/**
 * As with API keys nothing is cached, so that a token opens nothing from the very next request on once it is revoked, or its directory
 * switched off or deleted. Throws a 423 where the organization moves.
 */
export function createDirectoryAuthentication({
  database,
  clock,
  tiers,
}: {
  database: Database
  clock: Clock
  tiers: Tiers
}): AuthenticateDirectory {
  const uses = createKeyUses(clock, (...noted) => noteTokenUses(database.write, ...noted))
  const find = createBatcher<Lookup, Awaited<ReturnType<typeof findDirectoryByToken>>>(
    maxTogether,
    async (_, lookups) => {
      const [{ organizationId, hash }] = lookups as [Lookup]
      const found = await findDirectoryByToken(database.read, organizationId, hash, toTimestamp(clock.now()))
      return lookups.map(() => found)
    },
  )
  return async (organizationId, text) => {
    const lookup = parseDirectoryToken(text)
    if (lookup?.organizationId !== organizationId) return undefined
    const found = await find(lookup.hash.toString('base64'), lookup)
    if (!found) await refuseIfMoving(database.read, organizationId)
    if (!found || found.is_expired) return found && 'expired'
    const { token_id: keyId, is_expired: _, pricing_tier: tier, ...directory } = found
    uses.note({ organizationId, keyId })
    return { directory, limits: limitsOf(tiers, tier) }
  }
}
