import { type Clock, toTimestamp } from '../clock.ts'
import type { Database, Queries } from '../database/database.ts'
import { insertKeys, loadCurrentKey, loadPublishedKeys } from './keys-store.ts'
import { remember } from './remember.ts'
import { makeSigningKey, openSigningKey, type PublicJwk, type SigningKey } from './signing-key.ts'
import type { Place, Vault } from './vault.ts'

/**
 * Organizations whose signing key is kept open, 4 kB each; looking up and opening one takes 0.1 ms of CPU, four times
 * as much as signing with it (measured).
 */
const maxOpenKeys = 5_000
/** How long a key may sign after another node replaced it; it stays in the published set for longer than that. */
const keepOpenMs = 60_000

export type Keys = {
  /** Makes the two keys that every organization has, in the transaction that makes it. */
  createSigningKeys(queries: Queries, organizationId: string): Promise<void>
  /** The key that signs for an organization now. Throws when there is none, or no master key opens it. */
  signingKey(organizationId: string): Promise<SigningKey>
  /** The verification keys of an organization, the one that signs now first. */
  publishedKeys(organizationId: string): Promise<PublicJwk[]>
}

export function createKeys({ database, clock, vault }: { database: Database; clock: Clock; vault: Vault }): Keys {
  const now = () => toTimestamp(clock.now())
  const openCurrentKey = async (organizationId: string) => {
    const sealed = await loadCurrentKey(database.read, organizationId, now())
    if (!sealed) throw new Error(`organization ${organizationId}: no signing key`)
    return openSigningKey(vault.open(sealed, placeOf(organizationId)))
  }
  return {
    createSigningKeys: (queries, organizationId) => insertSigningKeys(queries, organizationId, { clock, vault }),
    signingKey: remember(openCurrentKey, { clock, maxKept: maxOpenKeys, keepMs: keepOpenMs }),
    publishedKeys: async (organizationId) => {
      const keys = await loadPublishedKeys(database.read, organizationId, now())
      return keys.map((key) => JSON.parse(key))
    },
  }
}

/** A key that signs from now on, and the next one, published so that receivers know it before it does. */
export async function insertSigningKeys(
  queries: Queries,
  organizationId: string,
  { clock, vault }: { clock: Clock; vault: Vault },
) {
  const now = toTimestamp(clock.now())
  const keys = [now, null].map((signsFrom) => {
    const { kid, publicJwk, privateKey } = makeSigningKey()
    return {
      kid,
      publicJwk: JSON.stringify(publicJwk),
      privateKey: vault.seal(privateKey, placeOf(organizationId)),
      signsFrom,
    }
  })
  await insertKeys(queries, organizationId, keys, now)
}

const placeOf = (organizationId: string): Place => ({ organizationId, column: 'signing_keys.private_key' })
