import { announceDue } from '../delivery/index.ts'
import { giveUpOrganization } from '../organizations/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { type Cell, recordStep } from './cell.ts'
import { lockMove, removeMove } from './move-store.ts'
import { serve } from './serve.ts'

/**
 * Undoes a move before the former cell has given the organization up: that cell serves it as before, and the next one removes what has
 * arrived. May be run again.
 */
export async function undoMove(cell: Cell, organizationId: string): Promise<'served' | 'removed'> {
  const undone = await cell.database.transaction(async (tx) => {
    const move = await lockMove(tx, organizationId)
    if (!move) throw new Error('organization: is not moving')
    if (move.state === 'gone') throw new Error('organization: was given up here, and the next cell may serve it')
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
