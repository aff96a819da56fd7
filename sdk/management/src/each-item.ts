/** Where a page begins: the one parameter that the list takes, or none for the first page. */
type Place = { offset?: number; after?: string }
type Page<Item> = { result: Item[]; meta: { pagination?: { total_count: number }; next?: string; has_more?: boolean } }

/**
 * Every item of a list, page by page, for `for await`. `list` asks for the page that begins at the place it is given:
 *
 *     for await (const person of eachItem((place) => signet.listPersons({ query: { limit: 1000, ...place } }))) …
 *
 * In a list that is counted (`offset`), an item may be missed or come twice when others are created or removed meanwhile. A
 * list with a cursor (`after`) skips nothing.
 */
export async function* eachItem<Item>(list: (place: Place) => Promise<Page<Item>>): AsyncGenerator<Item, void> {
  let count = 0
  let place: Place | undefined = {}
  while (place) {
    const { result, meta }: Page<Item> = await list(place)
    yield* result
    count += result.length
    // The feed says at its end, too, where what is yet to come begins.
    const isLast = meta.has_more === false
    if (meta.next) place = isLast ? undefined : { after: meta.next }
    else place = nextOffset(count, result.length, meta.pagination?.total_count)
  }
}

/** An empty page ends a list that others shorten meanwhile. */
const nextOffset = (count: number, length: number, total = 0): Place | undefined =>
  length > 0 && count < total ? { offset: count } : undefined
