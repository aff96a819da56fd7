import type { Queries } from '../database/database.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import type { Keyring } from './keyring.ts'
import { type KeyTimes, loadKeyTimes, loadPublishedKeys } from './keys-store.ts'
import { createRotation, type KeySet, makeFirstKeys } from './rotation.ts'
import { createSigners, sentForMs } from './signers.ts'
import type { PublicJwk } from './signing-key.ts'
import { makeStoredKey } from './stored-key.ts'

/** How long a retired key stays published: a JWT lives five minutes, the rest is for queues in front of receivers. */
const retiredForMs = 3_600_000

const webhookKeys = (keyring: Keyring): KeySet => ({
  signed: 'webhooks',
  algorithms: ['ES256'],
  makeKey: (organizationId) => makeStoredKey(organizationId, keyring),
  retiredForMs,
  keptForMs: 0,
  // Until no process sends signatures of a withdrawn key; 100 ms are for clocks that run at different speeds.
  withdrawalMs: sentForMs + 100,
  // Some 2 ms each.
  maxRotations: 200,
})

/** When a key signs. `signsFrom` of the next key: the earliest moment. */
export type KeyUse = {
  kid: string
  state: 'published' | 'signing' | 'retired' | 'withdrawn'
  publishedAt: Date
  signsFrom: Date
  signsUntil: Date | undefined
  withdrawnAt: Date | undefined
}

export type Keys = ReturnType<typeof createKeys>

type Dependencies = Parameters<typeof createRotation>[0] & { keyring: Keyring }

export function createKeys(dependencies: Dependencies) {
  const { database, clock, keyring } = dependencies
  return {
    /** Creates the current and the next key of an organization, in the transaction that creates it. */
    createSigningKeys: (queries: Queries, organizationId: string) =>
      insertSigningKeys(queries, organizationId, { clock, keyring }),
    findSigners: createSigners(dependencies),
    /** The published verification keys of an organization, the current one first. */
    publishedKeys: async (organizationId: string): Promise<PublicJwk[]> => {
      const keys = await loadPublishedKeys(database.read, organizationId, toTimestamp(clock.now()))
      return keys.map((key) => JSON.parse(key))
    },
    /** Every key of an organization that is stored, the current one first, then the next one. */
    keyUses: async (organizationId: string) => {
      const keys = await loadKeyTimes(database.read, organizationId)
      return keys.map((key) => toKeyUse(key, clock.now(), dependencies.keyLeadMs))
    },
    ...createRotation(dependencies, webhookKeys(keyring)),
  }
}

export const insertSigningKeys = (
  queries: Queries,
  organizationId: string,
  { clock, keyring }: { clock: Clock; keyring: Keyring },
) => makeFirstKeys(queries, organizationId, webhookKeys(keyring), clock)

function toKeyUse(key: KeyTimes, now: number, keyLeadMs: number): KeyUse {
  const { kid, published_at: publishedAt, signs_from, signs_until, withdrawn_at } = key
  return {
    kid,
    state: stateOf(key, now),
    publishedAt,
    signsFrom: signs_from ?? new Date(publishedAt.getTime() + keyLeadMs),
    signsUntil: signs_until ?? undefined,
    withdrawnAt: withdrawn_at ?? undefined,
  }
}

function stateOf({ signs_from, withdrawn_at }: KeyTimes, now: number): KeyUse['state'] {
  if (withdrawn_at) return withdrawn_at.getTime() > now ? 'retired' : 'withdrawn'
  return signs_from ? 'signing' : 'published'
}
