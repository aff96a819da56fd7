import type { Transaction } from './database.ts'
import { sql } from './sql.ts'

/**
 * Until the transaction ends, every other caller waits here, so that a count stays true until something is added. Rows that
 * refer to the organization can be written meanwhile. Gives whether the organization exists and is not deleted.
 */
export async function lockOrganization(tx: Transaction, organizationId: string): Promise<boolean> {
  const rows = await tx.rows(sql`
    select from organizations where id = ${organizationId} and deleted_at is null for no key update`)
  return rows.length > 0
}
