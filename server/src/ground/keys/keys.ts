import type { Queries } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import type { Keyring } from './keyring.ts'
import { insertFirstKeys, type KeyTimes, loadKeyTimes, loadPublishedKeys } from './keys-store.ts'
import { createRotation, type OnRotated } from './rotation.ts'
import { createSigners, type FindSigners } from './signers.ts'
import type { PublicJwk } from './signing-key.ts'
import { makeStoredKey } from './stored-key.ts'

/** When a key signs. `signsFrom` of the next key: the earliest moment. */
export type KeyUse = {
  kid: string
  state: 'published' | 'signing' | 'retired' | 'withdrawn'
  publishedAt: Date
  signsFrom: Date
  signsUntil: Date | undefined
  withdrawnAt: Date | undefined
}

export type Keys = {
  /** Creates the current and the next key of an organization, in the transaction that creates it. */
  createSigningKeys(queries: Queries, organizationId: string): Promise<void>
  findSigners: FindSigners
  /** The published verification keys of an organization, the current one first. */
  publishedKeys(organizationId: string): Promise<PublicJwk[]>
  /** Every key of an organization that is stored, the current one first, then the next one. */
  keyUses(organizationId: string): Promise<KeyUse[]>
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
    keyUses: async (organizationId) => {
      const keys = await loadKeyTimes(database.read, organizationId)
      return keys.map((key) => toKeyUse(key, clock.now(), dependencies.keyLeadMs))
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

function toKeyUse(key: KeyTimes, now: number, keyLeadMs: number): KeyUse {
  const { kid, published_at: publishedAt, signs_from, signs_until, withdrawn_at } = key
  return {
    ...{ kid, state: stateOf(key, now), publishedAt },
    signsFrom: signs_from ?? new Date(publishedAt.getTime() + keyLeadMs),
    signsUntil: signs_until ?? undefined,
    withdrawnAt: withdrawn_at ?? undefined,
  }
}

function stateOf({ signs_from, withdrawn_at }: KeyTimes, now: number): KeyUse['state'] {
  if (withdrawn_at) return withdrawn_at.getTime() > now ? 'retired' : 'withdrawn'
  return signs_from ? 'signing' : 'published'
}
