import type { Transaction } from '../database/database.ts'
import { announceDue, releaseLanes } from '../delivery/index.ts'
import { giveUpOrganization, openOrganization } from '../organizations/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { hashOf } from '../runtime/secret-hash.ts'
import { type Cell, recordStep } from './cell.ts'
import { existsOrganization, findMove, insertMove, removeMove } from './move-store.ts'
import { releaseFor } from './words.ts'

/**
 * The third step, at the former installation, which gives the organization up for good: what it has is purged as that of a deleted one.
 * Only whoever has imported it knows the receipt. Gives the word that releases it. May be run again.
 */
export const finishMove = (
  { database, clock, keyring }: Cell,
  organizationId: string,
  receipt: string,
): Promise<string> =>
  database.transaction(async (tx) => {
    const move = await findMove(tx, organizationId)
    if (!move || move.state === 'arrived') throw new Error('organization: is not moving from here')
    const release = releaseFor(keyring, move.moveId, receipt)
    if (!release) throw new Error('receipt: is not that of this move, which `signet move in` prints')
    if (move.state === 'leaving') {
      const now = toTimestamp(clock.now())
      await giveUpOrganization(tx, organizationId, now)
      await insertMove(tx, organizationId, { ...move, state: 'gone' }, now)
    }
    return release
  })

/** The last step, at the next installation: it serves the organization from the commit on. May be run again. */
export async function startMoved(cell: Cell, organizationId: string, release: string) {
  await cell.database.transaction(async (tx) => {
    const move = await findMove(tx, organizationId)
    if (!move && (await existsOrganization(tx, organizationId))) return
    if (move?.state !== 'arrived') throw new Error('organization: has not arrived here')
    if (!move.releaseHash?.equals(hashOf(release)))
      throw new Error('release: is not that of this move, which `signet move finish` prints at the former installation')
    await serve(cell, tx, organizationId)
    await recordStep(cell, tx, organizationId, 'startMovedOrganization')
  })
  await announceDue(cell.database.write)
}

/**
 * Undoes a move that was not finished: the former installation serves the organization as before, and the next one removes what has
 * arrived. May be run again.
 */
export async function undoMove(cell: Cell, organizationId: string): Promise<'served' | 'removed'> {
  const undone = await cell.database.transaction(async (tx) => {
    const move = await findMove(tx, organizationId)
    if (!move) throw new Error('organization: is not moving')
    if (move.state === 'gone')
      throw new Error('organization: its move is finished, and the next installation may serve it')
    if (move.state === 'arrived') {
      await removeMove(tx, organizationId)
      await giveUpOrganization(tx, organizationId, toTimestamp(cell.clock.now()))
      return 'removed'
    }
    await serve(cell, tx, organizationId)
    await recordStep(cell, tx, organizationId, 'undoOrganizationMove')
    return 'served'
  })
  await announceDue(cell.database.write)
  return undone
}

async function serve({ clock }: Cell, tx: Transaction, organizationId: string) {
  await removeMove(tx, organizationId)
  await openOrganization(tx, organizationId)
  await releaseLanes(tx, organizationId, toTimestamp(clock.now()))
}
