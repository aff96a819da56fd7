import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../database/database.ts'
import { enterEpoch } from '../database/transaction.ts'
import { createPositionCursors, type IsReached, type PositionCursors } from './cursors.ts'
import { type Epoch, findDrawn, findEndAndEpoch, listEpochs } from './position-store.ts'

export type Positions = {
  /** To be called at the start of a process: there is an epoch from then on. */
  enter(): Promise<void>
  /**
   * How far readers may read: the rows up to here are committed or will never be. They must be read in a later statement. Callers
   * that come while it is being found share the next run.
   */
  end(): Promise<number>
  /** The latest position that was drawn. Where `end`, asked for later, is below it, a transaction holds readers back. */
  drawn(): Promise<number>
  /** The position before all rows. */
  beginning(): Promise<number>
  /** The key of the newest epoch that this process has noticed, which `end` and the reading of a cursor do. */
  epoch(): string | undefined
  /** `list`: the name of the list, which is in its cursors. */
  cursors(list: string, isReached: IsReached): PositionCursors
}

export function createPositions({ database }: { database: Database }): Positions {
  let epochs: Epoch[] = []
  const load = async () => {
    epochs = await listEpochs(database.read)
  }
  const enter = async () => {
    await enterEpoch(database.write)
    await load()
  }
  const epoch = () => epochs.at(-1)?.key
  /** PostgreSQL may be restarted, or restored to an earlier state, while this process runs. */
  const noticeEpoch = async (current: string | null) => {
    if (current === null) await enter()
    else if (current !== epoch()) await load()
  }
  return {
    enter,
    end: sharedNext(async () => {
      const found = await findEndAndEpoch(database.read)
      await noticeEpoch(found.epoch)
      return found.end
    }),
    drawn: () => findDrawn(database.read),
    beginning: async () => {
      if (epochs.length === 0) await load()
      return epochs[0]?.firstPosition ?? 0
    },
    epoch,
    cursors: (list, isReached) =>
      createPositionCursors(database.read, {
        list,
        isReached,
        keyAt: (position) => keyAt(epochs, position),
        noticeEpoch,
      }),
  }
}

const keyAt = (epochs: Epoch[], position: number) =>
  epochs.findLast(({ firstPosition }) => firstPosition <= position)?.key

/** One run at a time. A caller's result comes from a run that began after the call. */
function sharedNext<Result>(run: () => Promise<Result>): () => Promise<Result> {
  const inOwnContext = AsyncLocalStorage.snapshot()
  let current: Promise<unknown> | undefined
  let next: Promise<Result> | undefined
  const begin = () => {
    next = undefined
    const result = inOwnContext(run)
    const settled = result
      .catch(() => {})
      .then(() => {
        if (current === settled) current = undefined
      })
    current = settled
    return result
  }
  return () => {
    if (!current) return begin()
    next ??= current.then(begin)
    return next
  }
}
