import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../database/database.ts'
import { enterEpoch } from '../database/transaction.ts'
import { createPositionCursors, type PositionCursors } from './cursors.ts'
import { type Epoch, findDrawn, findEnd, listEpochs } from './position-store.ts'

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
  /** `list`: the name of the list, which is in its cursors. */
  cursors(list: string): PositionCursors
}

export function createPositions({ database }: { database: Database }): Positions {
  let epochs: Epoch[] = []
  const load = async () => {
    epochs = await listEpochs(database.read)
    return epochs
  }
  const epochsFor = async (isKnown: (known: Epoch[]) => boolean) => (isKnown(epochs) ? epochs : load())
  return {
    enter: async () => {
      await enterEpoch(database.write)
      await load()
    },
    end: sharedNext(() => findEnd(database.read)),
    drawn: () => findDrawn(database.read),
    beginning: async () => (await epochsFor((known) => known.length > 0))[0]?.firstPosition ?? 0,
    cursors: (list) => createPositionCursors(database.read, list, epochsFor),
  }
}

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
