type Page = { result: readonly unknown[]; meta: { next?: string } }
type Read = (query: { limit: number; after?: string }) => Promise<Page>

/** The most that the interface gives at once. */
const limit = 1_000

/** Counts page by page what a search finds, at most so many. */
export async function countUpTo(max: number, read: Read): Promise<{ count: number; isMore: boolean }> {
  let count = 0
  let after: string | undefined
  do {
    const { result, meta } = await read({ limit, ...(after !== undefined && { after }) })
    count += result.length
    after = meta.next
  } while (after !== undefined && count < max)
  return { count, isMore: after !== undefined }
}
