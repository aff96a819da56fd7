import { resumeLanesAfterMove } from '../../delivery/queue/index.ts'
import type { Transaction } from '../../ground/database/database.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { openOrganization, removeMove } from '../../identity/organizations/index.ts'
import type { Cell } from './cell.ts'

/** From the commit on this cell answers the organization's calls, and delivers its events. */
export async function serve({ clock }: Cell, tx: Transaction, organizationId: string) {
  await removeMove(tx, organizationId)
  await openOrganization(tx, organizationId)
  await resumeLanesAfterMove(tx, organizationId, toTimestamp(clock.now()))
}
