import type { Delivery } from '@signet/management'
import type { Filters } from '../attempts/delivery-words.ts'
import { signet } from '../service/signet.ts'

/** Where few match a filter without an index, the service gives short pages: so many are asked for until one is full. */
const maxPages = 10

export type SearchPage = { deliveries: Delivery[]; next: string | undefined }

/** A page of the list as people see it: full, unless nothing more was found for long. */
export async function searchPage(
  filters: Filters,
  { size, after }: { size: number; after: string | undefined },
  signal: AbortSignal,
): Promise<SearchPage> {
  const deliveries: Delivery[] = []
  let next = after
  for (let page = 0; page < maxPages; page++) {
    const limit = size - deliveries.length
    const { result, meta } = await signet.searchDeliveries({ query: { ...filters, limit, after: next }, signal })
    deliveries.push(...result)
    next = meta.next
    if (!next || deliveries.length === size) break
  }
  return { deliveries, next }
}
