import type { Database } from '../database/database.ts'
import { setBounded } from '../runtime/bounded-map.ts'
import type { Clock } from '../runtime/clock.ts'
import { loadCurrentKeys } from './keys-store.ts'
import { openSigningKey, type SigningKey } from './signing-key.ts'
import { sealedKeyPlace } from './stored-key.ts'
import type { Vault } from './vault.ts'

/** Organizations whose key is kept open, 4 kB each; opening one takes four times as long as signing with it. */
const maxOpenKeys = 5_000
/** After so long an organization's key is looked up again before it is used again. */
export const cacheTtlMs = 2_000
/**
 * Nothing is sent longer than this after the key that signed it was looked up, whatever held the process up in between. So
 * once as much time has passed nothing is sent that a withdrawn key signed, and no process need be told.
 */
export const sentForMs = 5_000

/** The key that signs for one organization now. */
export type Signer = {
  key: SigningKey
  /** Milliseconds in which what it signed may be sent. Zero or less when it was looked up too long ago: it may be withdrawn. */
  goodForMs(): number
}

/**
 * Signers for these organizations, good for three seconds at the least. An organization that has no key, or one that no
 * master key opens, is missing, and told to `onUnreadable`.
 */
export type FindSigners = (
  organizationIds: Iterable<string>,
  onUnreadable: (organizationId: string, error: unknown) => void,
) => Promise<Map<string, Signer>>

type Known = Signer & { lookedUpAt: number }
type Dependencies = { database: Database; clock: Clock; vault: Vault }

export function createSigners({ database, clock, vault }: Dependencies): FindSigners {
  const known = new Map<string, Known>()

  /** A clock that is set back makes things old as well. */
  const ageOf = (time: number) => Math.abs(clock.now() - time)

  const keep = (organizationId: string, key: SigningKey, lookedUpAt: number): Signer => {
    const signer = { key, lookedUpAt, goodForMs: () => sentForMs - ageOf(lookedUpAt) }
    setBounded(known, organizationId, signer, maxOpenKeys)
    return signer
  }

  const open = (organizationId: string, found: { kid: string; private_key: Buffer } | undefined): SigningKey => {
    if (!found) throw new Error(`organization ${organizationId}: no signing key`)
    const before = known.get(organizationId)?.key
    if (before?.kid === found.kid) return before
    return openSigningKey(vault.open(found.private_key, sealedKeyPlace(organizationId)))
  }

  return async (organizationIds, onUnreadable) => {
    const signers = new Map<string, Signer>()
    const unknown = [...new Set(organizationIds)].filter((id) => {
      const found = known.get(id)
      if (found && ageOf(found.lookedUpAt) < cacheTtlMs) signers.set(id, found)
      return !signers.has(id)
    })
    if (unknown.length === 0) return signers
    const lookedUpAt = clock.now()
    const rows = new Map((await loadCurrentKeys(database.read, unknown)).map((row) => [row.org_id, row]))
    for (const id of unknown) {
      try {
        signers.set(id, keep(id, open(id, rows.get(id)), lookedUpAt))
      } catch (error) {
        onUnreadable(id, error)
      }
    }
    return signers
  }
}
