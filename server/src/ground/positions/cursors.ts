import type { Queries } from '../database/database.ts'
import { type ApiError, badRequest, gone } from '../errors.ts'
import { createCursors } from '../http/chain/cursor.ts'
import { findMovedPlace } from './moved-place-store.ts'
import type { Epoch } from './place-store.ts'

/** Cursors of one list whose rows have places. They only select rows of the caller's own organization, so need no signature. */
export type PlaceCursors = {
  /** The cursor of the row at `place`, which must be committed: after a crash PostgreSQL may draw later places again. */
  write(place: number): Promise<string>
  /**
   * The place that `after` stands for, in this cell or in a former one of the organization. Throws a 400 where it is not a cursor of this
   * list, and a 410 with `oldest`, the cursor to begin with, where it comes from another database or from a history that a restore has
   * ended.
   */
  read(organizationId: string, after: string, oldest?: () => Promise<string>): Promise<number>
}

/** The epoch's key and the place. */
const form = /^([0-9a-f-]{36})\.(0|[1-9]\d{0,15})$/

async function lost(oldest?: () => Promise<string>): Promise<ApiError> {
  const beginning = oldest ? `the oldest cursor is ${await oldest()}` : 'begin without a cursor'
  return gone(`after: comes from another database, or from a history that a restore has ended; ${beginning}`)
}

/** `epochsFor(isKnown)`: the epochs, oldest first, read anew where `isKnown` refuses those in memory. */
export function createPlaceCursors(
  queries: Queries,
  list: string,
  epochsFor: (isKnown: (epochs: Epoch[]) => boolean) => Promise<Epoch[]>,
): PlaceCursors {
  const cursors = createCursors(list, (text) => form.test(text))
  /** No epoch begins in a block up to this one that is not in memory. */
  let knownBlock = -1
  const isKeyIn = (key: string) => (epochs: Epoch[]) => epochs.some((epoch) => epoch.key === key)
  return {
    write: async (place) => {
      const block = Math.floor(place / epochPlaces)
      const epochs = await epochsFor(() => block <= knownBlock)
      knownBlock = Math.max(knownBlock, block)
      return cursors.write(`${epochAt(epochs, place)?.key}.${place}`)
    },
    read: async (organizationId, after, oldest) => {
      const [, key = '', digits] = form.exec(cursors.read(after)) ?? []
      const place = Number(digits)
      const moved = await findMovedPlace(queries, organizationId, { key, place })
      if (moved !== undefined) return moved
      const epochs = await epochsFor(isKeyIn(key))
      const index = epochs.findIndex((epoch) => epoch.key === key)
      const epoch = epochs[index]
      if (!epoch) throw await lost(oldest)
      const end = epochs[index + 1]?.firstPlace ?? Number.MAX_SAFE_INTEGER
      if (place < epoch.firstPlace || place >= end) throw badRequest(`after: must be a cursor of ${list}`)
      if (epoch.restoredUpTo !== null && place > epoch.restoredUpTo) throw await lost(oldest)
      return place
    },
  }
}

const epochAt = (epochs: Epoch[], place: number) => epochs.findLast(({ firstPlace }) => firstPlace <= place)

/** Epochs begin at multiples of this, above all places that were drawn. */
const epochPlaces = 2 ** 32
