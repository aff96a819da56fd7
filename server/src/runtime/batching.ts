import { AsyncLocalStorage } from 'node:async_hooks'

/** What is under way for longer holds nobody up any more: a connection may be lost without a word. */
const patienceMs = 500

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result | Promise<Result>) => void
  reject: (error: unknown) => void
}

/**
 * Makes one of many: what comes for a key while `run` is under way for it is run together afterwards, so that batches grow
 * with the load and nobody waits for others to come. `run` gives a result for each item, in their order, or the promise of
 * one; what it throws is for all of them. Bounded by its callers, each of whom waits for a result.
 */
export function createBatcher<Item, Result>(
  /** Items run at once. */
  most: number,
  run: (key: string, items: Item[]) => Promise<(Result | Promise<Result>)[]>,
) {
  /** What is run for many belongs to none of them: not in the context of whoever happened to come first. */
  const inNobodysContext = AsyncLocalStorage.snapshot()
  /** Of the keys that something is under way for. */
  const lines = new Map<string, Waiting<Item, Result>[]>()

  const runAll = async (key: string, line: Waiting<Item, Result>[]) => {
    lines.set(key, line)
    while (line.length > 0) {
      const patience = Promise.withResolvers<void>()
      const timer = setTimeout(patience.resolve, patienceMs)
      await Promise.race([runBatch(key, line.splice(0, most)), patience.promise])
      clearTimeout(timer)
    }
    lines.delete(key)
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
      const line = lines.get(key)
      if (line) line.push(waiting)
      else void inNobodysContext(runAll, key, [waiting])
    })
}
