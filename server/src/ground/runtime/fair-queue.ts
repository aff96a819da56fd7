type FairQueue<Item> = {
  add(organizationId: string, item: Item): void
  /** Takes an item out of its turn. False: it was not there any more. */
  remove(organizationId: string, item: Item): boolean
  /** Takes the oldest item of an organization, which then is behind all others. Undefined: it has none. */
  take(organizationId: string): Item | undefined
  has(organizationId: string): boolean
  /** Those with items, in the order of their next turns. A loop meets those again that had another turn meanwhile. */
  organizations(): IterableIterator<string>
  /** Items of all organizations. */
  size(): number
}

/** What waits, by organization: organizations have turns (round robin), and the items of each come in the order in which they were added. */
export function createFairQueue<Item>(): FairQueue<Item> {
  const queues = new Map<string, Set<Item>>()
  let size = 0

  const remove = (organizationId: string, item: Item) => {
    const queue = queues.get(organizationId)
    if (!queue?.delete(item)) return false
    size--
    if (queue.size === 0) queues.delete(organizationId)
    return true
  }

  return {
    add: (organizationId, item) => {
      const queue = queues.get(organizationId) ?? new Set()
      queues.set(organizationId, queue.add(item))
      size++
    },
    remove,
    take: (organizationId) => {
      const queue = queues.get(organizationId)
      if (!queue) return undefined
      const item = queue.values().next().value as Item
      remove(organizationId, item)
      if (queues.delete(organizationId)) queues.set(organizationId, queue)
      return item
    },
    has: (organizationId) => queues.has(organizationId),
    organizations: () => queues.keys(),
    size: () => size,
  }
}
