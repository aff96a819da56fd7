import type { Queries } from '../database/database.ts'
import { type ApiError, badRequest, gone } from '../errors.ts'
import { createCursors } from '../http/chain/cursor.ts'
import { findMovedPosition } from './moved-segment-store.ts'
import { type EpochOfCursor, findEpochOfCursor } from './position-store.ts'

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
  return gone(
    'cursor_of_other_history',
    `after: comes from another database, or from a history that a restore has ended; ${beginning}`,
  )
}

/**
 * Whether the organization has a row of the list from `from` on, and below `before`, or had one that retention has dropped. Asked for
 * cursors of epochs that have ended: after a crash, and in a dump, the sequence stands above the rows that are there, so that the greatest
 * position that the next epoch found does not tell by itself.
 */
export type IsReached = (organizationId: string, span: { from: number; before: number }) => Promise<boolean>

type List = {
  list: string
  isReached: IsReached
  /** The key of the epoch of a position. */
  keyAt(position: number): string | undefined
  noticeEpoch(current: string | null): Promise<void>
}

export function createPositionCursors(
  queries: Queries,
  { list, isReached, keyAt, noticeEpoch }: List,
): PositionCursors {
  const cursors = createCursors(list, (text) => form.test(text))

  /** Asks the database each time: it may have been restored since the last one. */
  const epochOf = async (key: string) => {
    const found = await findEpochOfCursor(queries, key)
    if (found?.current !== null) return found
    await noticeEpoch(null)
    return findEpochOfCursor(queries, key)
  }

  const isOfThisHistory = async (
    organizationId: string,
    position: number,
    { first, before, through }: EpochOfCursor,
  ) => {
    if (through !== null && position > through) return false
    return before === null || position === first || isReached(organizationId, { from: position, before })
  }

  return {
    write: async (position) => cursors.write(`${keyAt(position)}.${position}`),
    read: async (organizationId, after, oldest) => {
      const [, key = '', digits] = form.exec(cursors.read(after)) ?? []
      const position = Number(digits)
      const [moved, epoch] = await Promise.all([
        findMovedPosition(queries, organizationId, { key, position }),
        epochOf(key),
      ])
      if (moved !== undefined) return moved
      await noticeEpoch(epoch?.current ?? null)
      if (!epoch) throw await lost(oldest)
      const before = epoch.before ?? Number.MAX_SAFE_INTEGER
      if (position < epoch.first || position >= before)
        throw badRequest('invalid_value', `after: must be a cursor of ${list}`)
      if (!(await isOfThisHistory(organizationId, position, epoch))) throw await lost(oldest)
      return position
    },
  }
}
