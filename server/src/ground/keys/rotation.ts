import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Transaction } from '../database/database.ts'
import { conflict } from '../errors.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import type { Keyring } from './keyring.ts'
import {
  nextKeyPublishedAt,
  organizationsSigningSince,
  type Rotated,
  removeWithdrawnKeys,
  rotateKeys,
} from './keys-store.ts'
import { sentForMs } from './signers.ts'
import { makeStoredKey } from './stored-key.ts'

/** How long a retired key stays published: a JWT lives five minutes, the rest is for queues in front of receivers. */
const retiredForMs = 3_600_000
/** Until no process sends signatures of a withdrawn key; 100 ms are for clocks that run at different speeds. */
const withdrawalMs = sentForMs + 100
/** In one run of the interval: rotations (about 2 ms each) and removed rows. */
const maxRotations = 200
const maxRemovals = 1_000

/** Called in the transaction of the rotation. */
export type OnRotated = (tx: Transaction, rotated: Rotated) => Promise<void>

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  /** How long a key is published before it may sign. */
  keyLeadMs: number
  /** A key that has signed for this long is replaced. */
  keyRotationMs: number
}

export function createRotation({ database, clock, keyring, keyLeadMs, keyRotationMs }: Dependencies) {
  const promote = (organizationId: string, publishedUntil: string, leaveAt: string, onRotated?: OnRotated) =>
    database.transaction(async (tx) => {
      const rotated = await rotateKeys(tx, organizationId, {
        next: makeStoredKey(organizationId, keyring),
        ...{ publishedUntil, leaveAt, now: toTimestamp(clock.now()) },
      })
      if (rotated) await onRotated?.(tx, rotated)
      return rotated !== undefined
    })

  const rotateByLead = (organizationId: string, onRotated?: OnRotated) => {
    const now = clock.now()
    return promote(organizationId, toTimestamp(now - keyLeadMs), toTimestamp(now + retiredForMs), onRotated)
  }

  const tooSoon = async (organizationId: string) => {
    const publishedAt = (await nextKeyPublishedAt(database.write, organizationId))?.getTime() ?? clock.now()
    const time = toTimestamp(publishedAt + keyLeadMs)
    return conflict(
      `emergency: must be true to rotate before ${time}, when the next key will have been published long enough`,
    )
  }

  return {
    async rotate(organizationId: string, onRotated: OnRotated) {
      if (!(await rotateByLead(organizationId, onRotated))) throw await tooSoon(organizationId)
    },
    async rotateInEmergency(organizationId: string, onRotated: OnRotated) {
      // Two requests in one emergency make one rotation: a second one would promote a key that no receiver has fetched.
      const publishedUntil = toTimestamp(clock.now() - withdrawalMs)
      if (!(await promote(organizationId, publishedUntil, '-infinity', onRotated)))
        throw conflict('emergency: the keys were made or rotated a moment ago; ask again in some seconds')
      await wait(withdrawalMs)
    },
    async rotateDueKeys() {
      const now = clock.now()
      // The next key is published when the current one begins to sign, so it has been published for at least as long.
      const since = toTimestamp(now - Math.max(keyRotationMs, keyLeadMs))
      for (const id of await organizationsSigningSince(database.write, since, maxRotations)) await rotateByLead(id)
      await removeWithdrawnKeys(database.write, toTimestamp(now), maxRemovals)
    },
  }
}
