import type { Database, Queries, Transaction } from '../database/database.ts'
import { appliedMigrations } from '../database/migrate.ts'
import type { RecordChange } from '../http/recorded-change.ts'
import { requireInstallation } from '../installation/index.ts'
import type { Keyring } from '../keys/index.ts'
import type { Clock } from '../runtime/clock.ts'

/** A cell, as a command of its operator sees it: its database and its master keys. */
export type Cell = {
  database: Database
  clock: Clock
  keyring: Keyring
  recordAs(action: MoveAction): RecordChange
}

/** What the audit log calls the steps of a move. */
export const moveActions = [
  'moveOrganizationOut',
  'moveOrganizationIn',
  'startMovedOrganization',
  'undoOrganizationMove',
] as const
type MoveAction = (typeof moveActions)[number]

/** What both cells must have in common. Throws one readable line where the master key is not that of the database. */
export async function readCommon(queries: Queries, keyring: Keyring) {
  const { base_url } = await requireInstallation(queries, keyring)
  return { baseUrl: base_url, migrations: (await appliedMigrations(queries)).sort() }
}

/** Last in its transaction but for the mark: its place holds back all readers. */
export const recordStep = ({ recordAs }: Cell, tx: Transaction, organizationId: string, action: MoveAction) =>
  recordAs(action)(tx, organizationId, { target: { type: 'organization', id: organizationId } })
