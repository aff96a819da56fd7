import type { Queries } from '../database/database.ts'
import { type ApiError, badRequest, gone } from '../errors.ts'
import { createCursors } from '../http/chain/cursor.ts'
import { findMovedPosition } from './moved-segment-store.ts'
import type { Epoch } from './position-store.ts'

/** Cursors of one list whose rows have positions. They only select rows of the caller's own organization, so need no signature. */
export type PositionCursors = {
  /** The cursor of the row at `position`, which must be committed: after a crash PostgreSQL may draw later positions again. */
  write(position: number): Promise<string>
  /**
   * The position that `after` stands for, in this cell or in a former one of the organization. Throws a 400 where it is not a cursor of this
   * list, and a 410 with `oldest`, the cursor to begin with, where it comes from another database or from a history that a restore has
   * ended.
   */
  read(organizationId: string, after: string, oldest?: () => Promise<string>): Promise<number>
}

/** The epoch's key and the position. */
const form = /^([0-9a-f-]{36})\.(0|[1-9]\d{0,15})$/

async function lost(oldest?: () => Promise<string>): Promise<ApiError> {
  const beginning = oldest ? `the oldest cursor is ${await oldest()}` : 'begin without a cursor'
  return gone(`after: comes from another database, or from a history that a restore has ended; ${beginning}`)
}

/** `epochsFor(isKnown)`: the epochs, oldest first, read anew where `isKnown` refuses those in memory. */
export function createPositionCursors(
  queries: Queries,
  list: string,
  epochsFor: (isKnown: (epochs: Epoch[]) => boolean) => Promise<Epoch[]>,
): PositionCursors {
  const cursors = createCursors(list, (text) => form.test(text))
  /** No epoch begins in a block up to this one that is not in memory. */
  let knownBlock = -1
  const isKeyIn = (key: string) => (epochs: Epoch[]) => epochs.some((epoch) => epoch.key === key)
  return {
    write: async (position) => {
      const block = Math.floor(position / epochPositions)
      const epochs = await epochsFor(() => block <= knownBlock)
      knownBlock = Math.max(knownBlock, block)
      return cursors.write(`${epochAt(epochs, position)?.key}.${position}`)
    },
    read: async (organizationId, after, oldest) => {
      const [, key = '', digits] = form.exec(cursors.read(after)) ?? []
      const position = Number(digits)
      const moved = await findMovedPosition(queries, organizationId, { key, position })
      if (moved !== undefined) return moved
      const epochs = await epochsFor(isKeyIn(key))
      const index = epochs.findIndex((epoch) => epoch.key === key)
      const epoch = epochs[index]
      if (!epoch) throw await lost(oldest)
      const end = epochs[index + 1]?.firstPosition ?? Number.MAX_SAFE_INTEGER
      if (position < epoch.firstPosition || position >= end) throw badRequest(`after: must be a cursor of ${list}`)
      if (epoch.restoredUpTo !== null && position > epoch.restoredUpTo) throw await lost(oldest)
      return position
    },
  }
}

const epochAt = (epochs: Epoch[], position: number) => epochs.findLast(({ firstPosition }) => firstPosition <= position)

/** Epochs begin at multiples of this, above all positions that were drawn. */
const epochPositions = 2 ** 32
