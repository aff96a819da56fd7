import type { Transaction } from './database.ts'
import { hasRow } from './rows.ts'
import { sql } from './sql.ts'

/**
 * Until the transaction ends, every other caller waits here, so that a count stays true until something is added. Rows that
 * refer to the organization can be written meanwhile. Gives whether the organization exists and is not deleted.
 */
export const lockOrganization = (tx: Transaction, organizationId: string) =>
  hasRow(tx)(sql`
    select from organizations where id = ${organizationId} and deleted_at is null for no key update`)
