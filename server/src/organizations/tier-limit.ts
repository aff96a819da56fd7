import type { Transaction } from '../database/database.ts'
import { tierLimitReached } from '../errors.ts'
import { lockOrganization } from './organization-store.ts'

type Addition = { limit: number | undefined; adding: number; count: () => Promise<number>; what: string }

/**
 * Throws a 402 when `adding` more would exceed the limit. With a limit, whoever adds to the same organization comes one
 * after the other until commit, so that no two pass it together; without one there is no lock and no counting.
 */
export async function withinLimit(tx: Transaction, organizationId: string, { limit, adding, count, what }: Addition) {
  if (limit === undefined) return
  // Sent together: the count begins, and sees what was committed, once the lock is held.
  const [, used] = await Promise.all([lockOrganization(tx, organizationId), count()])
  if (used + adding > limit) throw tierLimitReached(`${what}: the pricing tier allows at most ${limit}`)
}
