import type { Transaction } from '../database/database.ts'
import { resumeLanesAfterMove } from '../delivery/index.ts'
import { openOrganization } from '../organizations/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import type { Cell } from './cell.ts'
import { removeMove } from './move-store.ts'

/** From the commit on this cell answers the organization's calls, and delivers its events. */
export async function serve({ clock }: Cell, tx: Transaction, organizationId: string) {
  await removeMove(tx, organizationId)
  await openOrganization(tx, organizationId)
  await resumeLanesAfterMove(tx, organizationId, toTimestamp(clock.now()))
}
