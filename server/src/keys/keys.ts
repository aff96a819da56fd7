import type { Queries } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import type { Keyring } from './keyring.ts'
import { insertFirstKeys, loadPublishedKeys } from './keys-store.ts'
import { createRotation, type OnRotated } from './rotation.ts'
import { createSigners, type FindSigners } from './signers.ts'
import type { PublicJwk } from './signing-key.ts'
import { makeStoredKey } from './stored-key.ts'

export type Keys = {
  /** Creates the current and the next key of an organization, in the transaction that creates it. */
  createSigningKeys(queries: Queries, organizationId: string): Promise<void>
  findSigners: FindSigners
  /** The published verification keys of an organization, the current one first. */
  publishedKeys(organizationId: string): Promise<PublicJwk[]>
  /** Lets the next key sign; the former one stays published for an hour. Throws a 409 when it is too soon. */
  rotate(organizationId: string, onRotated: OnRotated): Promise<void>
  /**
   * Withdraws every key that has signed, and lets the next one sign, however short it was published. Resolves once no
   * process sends what they signed (5.1 s). Throws a 409 when another rotation took place within that time.
   */
  rotateInEmergency(organizationId: string, onRotated: OnRotated): Promise<void>
  /**
   * Rotates the keys that have signed for longer than is set, and removes those that have left the set: some at a time,
   * safe in several processes at once.
   */
  rotateDueKeys(): Promise<void>
}

type Dependencies = Parameters<typeof createRotation>[0]

export function createKeys(dependencies: Dependencies): Keys {
  const { database, clock, keyring } = dependencies
  return {
    createSigningKeys: (queries, organizationId) => insertSigningKeys(queries, organizationId, { clock, keyring }),
    findSigners: createSigners(dependencies),
    publishedKeys: async (organizationId) => {
      const keys = await loadPublishedKeys(database.read, organizationId, toTimestamp(clock.now()))
      return keys.map((key) => JSON.parse(key))
    },
    ...createRotation(dependencies),
  }
}

/** Inserts a key that signs from now on, and the next one, published before it signs so that receivers can fetch it. */
export async function insertSigningKeys(
  queries: Queries,
  organizationId: string,
  { clock, keyring }: { clock: Clock; keyring: Keyring },
) {
  const [current, next] = [makeStoredKey(organizationId, keyring), makeStoredKey(organizationId, keyring)]
  await insertFirstKeys(queries, organizationId, { current, next }, toTimestamp(clock.now()))
}
