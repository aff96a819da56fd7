/** The most that a list gives at once. */
const pageSize = 1_000
/** How often a list that others change meanwhile is read again from its beginning. */
const maxReadings = 3

type Place = { limit: number; offset: number }
type Page<Item> = { result: Item[]; meta: { pagination: { total_count: number } } }

/**
 * Every item of a list. Whoever takes what is not listed for gone must not miss one: each page begins with the last item of the
 * page before, so that a list that moved meanwhile is noticed, and read again.
 */
export async function readAll<Item>(what: string, list: (place: Place) => Promise<Page<Item>>): Promise<Item[]> {
  for (let reading = 0; reading < maxReadings; reading++) {
    const items = await readOnce(what, list)
    if (items) return items
  }
  throw new Error(`${what}: the list changed while it was read; nothing was changed, try again`)
}

/** Undefined where the list moved. */
async function readOnce<Item>(what: string, list: (place: Place) => Promise<Page<Item>>): Promise<Item[] | undefined> {
  const items: Item[] = []
  for (;;) {
    const place = { limit: pageSize, offset: Math.max(items.length - 1, 0) }
    const { page, total } = checkPage(what, await list(place))
    if (items.length > 0 && !isSame(page[0], items.at(-1))) return undefined
    const added = items.length > 0 ? page.slice(1) : page
    items.push(...added)
    if (items.length === total) return items
    if (added.length === 0 || items.length > total) return undefined
  }
}

/** What stands before the service may answer in its place, with a success that is none. */
function checkPage<Item>(what: string, { result, meta }: Page<Item>): { page: Item[]; total: number } {
  const total = meta?.pagination?.total_count
  if (!Array.isArray(result) || !Number.isSafeInteger(total))
    throw new Error(`${what}: the reply is not a page of a list`)
  return { page: result, total }
}

const isSame = (one: unknown, other: unknown) => identityOf(one) === identityOf(other)

/** What never changes of an item. */
function identityOf(item: unknown) {
  const { id, client_id } = Object(item) as { id?: string; client_id?: string }
  return id ?? client_id ?? item
}

/** By ids that begin with their time, whatever the order of the list: a file that is written again keeps the order of its entries. */
export const oldestFirst = <Item>(items: Item[], idOf: (item: Item) => string): Item[] =>
  items.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
