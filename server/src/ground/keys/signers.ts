import type { Database } from '../database/database.ts'
import { setBounded } from '../runtime/bounded-map.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Keyring } from './keyring.ts'
import { loadCurrentKeys } from './keys-store.ts'
import { importSigningKey, type SigningKey } from './signing-key.ts'
import { signingKeyContext } from './stored-key.ts'

/** Organizations whose decrypted key is cached, 4 kB each; decrypting and importing one takes four times as long as a signature. */
const maxCachedKeys = 5_000
/** How long a cached key is used before it is looked up again. */
export const keyCacheMs = 2_000
/**
 * A signature is sent no later than this after its key was looked up, even when the process stood still in between. So this
 * long after a withdrawal nothing signed by the withdrawn key is sent, and no process has to be notified.
 */
export const sentForMs = 5_000

/** The key that signs for one organization now. */
export type Signer = {
  key: SigningKey
  /** Milliseconds in which its signatures may still be sent. Zero or less: looked up too long ago, and possibly withdrawn. */
  goodForMs(): number
}

/**
 * Signers for these organizations, each good for at least three seconds. An organization that has no key, or one that no
 * master key decrypts, is missing from the map and reported to `onUnreadable`.
 */
export type FindSigners = (
  organizationIds: Iterable<string>,
  onUnreadable: (organizationId: string, error: unknown) => void,
) => Promise<Map<string, Signer>>

type Known = Signer & { lookedUpAt: number }
type Dependencies = { database: Database; clock: Clock; keyring: Keyring }

export function createSigners({ database, clock, keyring }: Dependencies): FindSigners {
  const known = new Map<string, Known>()

  /** A clock that was set back also counts as age. */
  const ageOf = (time: number) => Math.abs(clock.now() - time)

  const keep = (organizationId: string, key: SigningKey, lookedUpAt: number): Signer => {
    const signer = { key, lookedUpAt, goodForMs: () => sentForMs - ageOf(lookedUpAt) }
    setBounded(known, organizationId, signer, maxCachedKeys)
    return signer
  }

  const load = (organizationId: string, found: { kid: string; private_key: Buffer } | undefined): SigningKey => {
    if (!found) throw new Error(`organization ${organizationId}: no signing key`)
    const before = known.get(organizationId)?.key
    if (before?.kid === found.kid) return before
    return importSigningKey(keyring.decrypt(found.private_key, signingKeyContext(organizationId)))
  }

  return async (organizationIds, onUnreadable) => {
    const signers = new Map<string, Signer>()
    const unknown = [...new Set(organizationIds)].filter((id) => {
      const found = known.get(id)
      if (found && ageOf(found.lookedUpAt) < keyCacheMs) signers.set(id, found)
      return !signers.has(id)
    })
    if (unknown.length === 0) return signers
    const lookedUpAt = clock.now()
    const rows = new Map((await loadCurrentKeys(database.read, unknown)).map((row) => [row.org_id, row]))
    for (const id of unknown) {
      try {
        signers.set(id, keep(id, load(id, rows.get(id)), lookedUpAt))
      } catch (error) {
        onUnreadable(id, error)
      }
    }
    return signers
  }
}
