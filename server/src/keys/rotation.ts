import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { conflict } from '../errors.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { nextKeyPublishedAt, organizationsSigningSince, removeWithdrawnKeys, rotateKeys } from './keys-store.ts'
import { sentForMs } from './signers.ts'
import { makeStoredKey } from './stored-key.ts'
import type { Vault } from './vault.ts'

/** A key that signed stays in the set for so long: a JWT lives five minutes, the rest is for queues before receivers. */
const stayMs = 3_600_000
/** Until no process sends what a withdrawn key signed; a tenth of a second for clocks that run at other speeds. */
const forgottenMs = sentForMs + 100
/** In one run of the upkeep: rotations, about 2 ms each, and rows removed. */
const maxRotations = 200
const maxRemovals = 1_000

type Dependencies = {
  database: Database
  clock: Clock
  vault: Vault
  /** How long a key is published before it may sign. */
  keyLeadMs: number
  /** A key that has signed for so long is replaced. */
  keyRotationMs: number
}

/** Rotation of verification keys: by call, in an emergency, and by age. */
export function createRotation({ database, clock, vault, keyLeadMs, keyRotationMs }: Dependencies) {
  const promote = (organizationId: string, publishedUntil: string, leaveAt: string) =>
    rotateKeys(database.write, organizationId, {
      next: makeStoredKey(organizationId, vault),
      ...{ publishedUntil, leaveAt, now: toTimestamp(clock.now()) },
    })

  const rotateByLead = (organizationId: string) => {
    const now = clock.now()
    return promote(organizationId, toTimestamp(now - keyLeadMs), toTimestamp(now + stayMs))
  }

  const tooSoon = async (organizationId: string) => {
    const publishedAt = (await nextKeyPublishedAt(database.write, organizationId))?.getTime() ?? clock.now()
    const time = toTimestamp(publishedAt + keyLeadMs)
    return conflict(
      `emergency: must be true to rotate before ${time}, when the next key will have been published long enough`,
    )
  }

  return {
    async rotate(organizationId: string) {
      if (!(await rotateByLead(organizationId))) throw await tooSoon(organizationId)
    },
    async rotateInEmergency(organizationId: string) {
      // Two calls for one emergency are one rotation: a second one would let a key sign that nobody has seen.
      const madeUntil = toTimestamp(clock.now() - forgottenMs)
      if (!(await promote(organizationId, madeUntil, '-infinity')))
        throw conflict('emergency: the keys were made or rotated a moment ago; ask again in some seconds')
      await wait(forgottenMs)
    },
    async rotateDueKeys() {
      const now = clock.now()
      // A next key is made at the moment the present one begins to sign, so it was published for as long.
      const since = toTimestamp(now - Math.max(keyRotationMs, keyLeadMs))
      for (const id of await organizationsSigningSince(database.write, since, maxRotations)) await rotateByLead(id)
      await removeWithdrawnKeys(database.write, toTimestamp(now), maxRemovals)
    },
  }
}
