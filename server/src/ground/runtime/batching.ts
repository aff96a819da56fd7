import { AsyncLocalStorage } from 'node:async_hooks'

/** A batch that runs longer no longer delays the next one: its connection may be lost silently. */
const patienceMs = 500

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result | Promise<Result>) => void
  reject: (error: unknown) => void
}

/**
 * Batches items by key: items that arrive while `run` is in progress for their key form the next batch, so that batches
 * grow with the load and no item waits for others to arrive. `run` returns a result, or the promise of one, for each item in
 * order; an error that it throws rejects all of them. The queue is bounded by the callers, each of whom awaits a result.
 */
export function createBatcher<Item, Result>(
  maxItems: number,
  run: (key: string, items: Item[]) => Promise<(Result | Promise<Result>)[]>,
) {
  /** A batch belongs to none of its callers, so it does not run in the async context of the first. */
  const inOwnContext = AsyncLocalStorage.snapshot()
  /** The queues of the keys that have a batch in progress. */
  const queues = new Map<string, Waiting<Item, Result>[]>()

  const runAll = async (key: string, queue: Waiting<Item, Result>[]) => {
    queues.set(key, queue)
    while (queue.length > 0) {
      const patience = Promise.withResolvers<void>()
      const timer = setTimeout(patience.resolve, patienceMs)
      await Promise.race([runBatch(key, queue.splice(0, maxItems)), patience.promise])
      clearTimeout(timer)
    }
    queues.delete(key)
  }

  const runBatch = async (key: string, batch: Waiting<Item, Result>[]) => {
    try {
      const results = await run(
        key,
        batch.map(({ item }) => item),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
      await Promise.allSettled(results)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (key: string, item: Item) =>
    new Promise<Result>((resolve, reject) => {
      const waiting = { item, resolve, reject }
      const queue = queues.get(key)
      if (queue) queue.push(waiting)
      else void inOwnContext(runAll, key, [waiting])
    })
}
