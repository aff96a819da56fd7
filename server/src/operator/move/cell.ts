import type { Database, Queries, Transaction } from '../../ground/database/database.ts'
import { appliedMigrations } from '../../ground/database/migrate.ts'
import type { RecordChange } from '../../ground/http/chain/recorded-change.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import type { OperatorGroup } from '../../identity/organizations/index.ts'
import { requireInstallation } from '../installation/index.ts'

/** A cell, as a command of its operator sees it: its database and its master keys. */
export type Cell = {
  database: Database
  clock: Clock
  keyring: Keyring
  /** Its organization cannot move: whoever could send it here would send who the operator is. */
  operatorGroup: OperatorGroup | undefined
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

/** Last in its transaction but for the mark: its position holds back all readers. */
export const recordStep = ({ recordAs }: Cell, tx: Transaction, organizationId: string, action: MoveAction) =>
  recordAs(action)(tx, organizationId, { target: { type: 'organization', id: organizationId } })
