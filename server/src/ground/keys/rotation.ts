import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Queries, Transaction } from '../database/database.ts'
import { conflict } from '../errors.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import {
  type Algorithm,
  insertFirstKeys,
  keysSigningSince,
  type NewKey,
  nextKeyPublishedAt,
  type Rotated,
  type Rotation,
  removeWithdrawnKeys,
  rotateKeys,
  type Signed,
} from './keys-store.ts'

/** Rows removed in one run of the interval. */
const maxRemovals = 1_000

/** Keys of which each organization has for every algorithm one that signs, and the next. */
export type KeySet = {
  signed: Signed
  algorithms: readonly Algorithm[]
  makeKey(organizationId: string, alg: Algorithm): NewKey | Promise<NewKey>
  /** How long a retired key stays published. */
  retiredForMs: number
  /** How long it is kept after that. */
  keptForMs: number
  /** Until no process uses a withdrawn key. */
  withdrawalMs: number
  /** Keys that one run of the interval rotates. */
  maxRotations: number
}

/** Called in the transaction of the rotation. */
export type OnRotated = (tx: Transaction, rotated: Rotated) => Promise<void>

type Dependencies = {
  database: Database
  clock: Clock
  /** How long a key is published before it may sign. */
  keyLeadMs: number
  /** A key that has signed for this long is replaced. */
  keyRotationMs: number
}

type Times = Omit<Rotation, 'signed' | 'next'>

const makeKeys = ({ makeKey }: KeySet, organizationId: string, algorithms: readonly Algorithm[]) =>
  Promise.all(algorithms.map((alg) => makeKey(organizationId, alg)))

/** Keys that sign from now on, and the next ones, published before they sign so that those who verify can fetch them. */
export async function makeFirstKeys(queries: Queries, organizationId: string, keySet: KeySet, clock: Clock) {
  const { signed, algorithms } = keySet
  const [current, next] = await Promise.all([
    makeKeys(keySet, organizationId, algorithms),
    makeKeys(keySet, organizationId, algorithms),
  ])
  await insertFirstKeys(queries, organizationId, { signed, current, next, now: toTimestamp(clock.now()) })
}

/** The life of the keys of a set after the first. */
export function createRotation({ database, clock, keyLeadMs, keyRotationMs }: Dependencies, keySet: KeySet) {
  const { signed, algorithms, retiredForMs, keptForMs, withdrawalMs, maxRotations } = keySet

  const promote = async (organizationId: string, which: readonly Algorithm[], times: Times, onRotated?: OnRotated) => {
    const next = await makeKeys(keySet, organizationId, which)
    return database.transaction(async (tx) => {
      const rotated = await rotateKeys(tx, organizationId, { signed, next, ...times })
      if (rotated) await onRotated?.(tx, rotated)
      return rotated !== undefined
    })
  }

  const byLead = (now: number): Times => ({
    publishedUntil: toTimestamp(now - keyLeadMs),
    leaveAt: toTimestamp(now + retiredForMs),
    now: toTimestamp(now),
  })

  const tooSoon = async (organizationId: string) => {
    const publishedAt = (await nextKeyPublishedAt(database.write, organizationId, signed))?.getTime() ?? clock.now()
    const time = toTimestamp(publishedAt + keyLeadMs)
    const nextKey = algorithms.length > 1 ? 'next keys' : 'next key'
    return conflict(
      'next_key_too_new',
      `emergency: must be true to rotate before ${time}, when the ${nextKey} will have been published long enough`,
    )
  }

  return {
    /** Promotes the next keys of all algorithms; the former ones stay published for a time. Throws a 409 when it is too soon. */
    async rotate(organizationId: string, onRotated: OnRotated) {
      const isRotated = await promote(organizationId, algorithms, byLead(clock.now()), onRotated)
      if (!isRotated) throw await tooSoon(organizationId)
    },
    /**
     * Withdraws every key that has signed, and promotes the next ones however short they were published. Resolves once no process uses a
     * withdrawn key. Throws a 409 when another rotation took place within that time.
     */
    async rotateInEmergency(organizationId: string, onRotated: OnRotated) {
      const now = clock.now()
      // Two requests in one emergency make one rotation: a second one would promote a key that nobody has fetched.
      const publishedUntil = toTimestamp(now - withdrawalMs)
      const times = { publishedUntil, leaveAt: '-infinity', now: toTimestamp(now) }
      if (!(await promote(organizationId, algorithms, times, onRotated)))
        throw conflict(
          'rotated_just_now',
          'emergency: the keys were made or rotated a moment ago; ask again in some seconds',
        )
      await database.onceCommitted(() => wait(withdrawalMs))
    },
    /**
     * Rotates the keys that have signed for longer than is set, and removes those that are kept no longer: some at a time, safe in several
     * processes at once.
     */
    async rotateDueKeys() {
      const now = clock.now()
      // The next key is published when the current one begins to sign, so it has been published for at least as long.
      const since = toTimestamp(now - Math.max(keyRotationMs, keyLeadMs))
      for (const { org_id, alg } of await keysSigningSince(database.write, signed, since, maxRotations))
        await promote(org_id, [alg], byLead(clock.now()))
      await removeWithdrawnKeys(database.write, signed, toTimestamp(now - keptForMs), maxRemovals)
    },
  }
}
