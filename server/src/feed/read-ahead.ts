/** Pages kept at once, each of up to a megabyte. */
const maxPages = 16
/** A reader that takes longer for a page reads the next one anew. */
const keptMs = 2_000

/**
 * The next page of a reader that is draining the feed, read while the last one is on its way: the database and the network then work
 * at the same time.
 */
export function createReadAhead<Page>() {
  const pages = new Map<string, Promise<Page | undefined>>()
  return {
    /** Whether it is read depends on what is being read already. */
    begin(key: string, read: () => Promise<Page>) {
      if (pages.size >= maxPages || pages.has(key)) return
      const page = read().catch(() => undefined)
      pages.set(key, page)
      setTimeout(() => pages.get(key) === page && pages.delete(key), keptMs).unref()
    },

    /** Undefined where it was not read, or could not be. */
    take(key: string): Promise<Page | undefined> | undefined {
      const page = pages.get(key)
      pages.delete(key)
      return page
    },
  }
}
