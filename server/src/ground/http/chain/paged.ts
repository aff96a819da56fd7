import type { Paged } from './operation.ts'

export async function paged<Item>(items: Promise<Item[]>, totalCount: Promise<number>): Promise<Paged<Item>> {
  const [found, total] = await Promise.all([items, totalCount])
  return { items: found, totalCount: total }
}
