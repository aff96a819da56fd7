/** Requests at a time. */
const concurrency = 8

/** The results of `work` for each item, in their order. */
export async function inParallel<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index] as Item)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return results
}
