import type { Database } from '../database/database.ts'
import type { Recall } from '../webhooks/index.ts'
import { announceRecall } from './channels.ts'
import type { Worker } from './worker.ts'

type Dependencies = {
  database: Database
  worker: Worker | undefined
  /** No other process has to be told. */
  isAlone: boolean
  onError: (error: unknown) => void
}

/**
 * What workers have claimed and not begun to call goes back. A process that cannot be told gives it back, or begins to
 * call it, within six seconds: `targetsGoodForMs` of `intake.ts`, and then `sentForMs` of a key.
 */
export const createRecall =
  ({ database, worker, isAlone, onError }: Dependencies): Recall =>
  async (id) => {
    const announced = isAlone ? undefined : announceRecall(database.write, id).catch(onError)
    await Promise.all([worker?.recall(id), announced])
  }
