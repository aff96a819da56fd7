import type { Transaction } from '../database/database.ts'
import { lockOrganization } from '../database/lock-organization.ts'
import { tierLimitReached } from '../errors.ts'

type Addition = { limit: number | undefined; adding: number; count: () => Promise<number> }

/**
 * Whether `adding` more stay within the limit. With a limit, additions to the same organization run one after the other until
 * commit, so that no two exceed it together; without a limit nothing is locked or counted.
 */
export async function hasRoom(tx: Transaction, organizationId: string, { limit, adding, count }: Addition) {
  if (limit === undefined) return true
  // Sent together: the count begins once the lock is held, and so sees what was committed before.
  const [, used] = await Promise.all([lockOrganization(tx, organizationId), count()])
  return used + adding <= limit
}

/** Throws a 402 when there is no room. */
export async function withinLimit(tx: Transaction, organizationId: string, addition: Addition & { what: string }) {
  const { limit, what } = addition
  if (!(await hasRoom(tx, organizationId, addition)))
    throw tierLimitReached(`${what}: the pricing tier allows at most ${limit}`)
}
