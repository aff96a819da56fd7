import type { Transaction } from '../database/database.ts'
import { tierLimitReached } from '../errors.ts'
import { lockOrganization } from './organization-store.ts'

type Addition = { limit: number | undefined; adding: number; count: () => Promise<number> }

/**
 * Whether `adding` more stay within the limit. With a limit, whoever adds to the same organization comes one after the
 * other until commit, so that no two pass it together; without one there is no lock and no counting.
 */
export async function hasRoom(tx: Transaction, organizationId: string, { limit, adding, count }: Addition) {
  if (limit === undefined) return true
  // Sent together: the count begins, and sees what was committed, once the lock is held.
  const [, used] = await Promise.all([lockOrganization(tx, organizationId), count()])
  return used + adding <= limit
}

/** Throws a 402 when there is no room. */
export async function withinLimit(tx: Transaction, organizationId: string, addition: Addition & { what: string }) {
  const { limit, what } = addition
  if (!(await hasRoom(tx, organizationId, addition)))
    throw tierLimitReached(`${what}: the pricing tier allows at most ${limit}`)
}
