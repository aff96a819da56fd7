import { announceDue } from '../../delivery/queue/index.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { giveUpOrganization, lockMove, removeMove } from '../../identity/organizations/index.ts'
import { type Cell, recordStep } from './cell.ts'
import { serve } from './serve.ts'

/**
 * Undoes a move before the former cell has given the organization up: that cell serves it as before, and the next one removes what has
 * arrived, where the operator says that the former one has not given it up: this cell cannot know. May be run again.
 */
export async function undoMove(
  cell: Cell,
  organizationId: string,
  { isNotGivenUp = false } = {},
): Promise<'served' | 'removed'> {
  const undone = await cell.database.transaction(async (tx) => {
    const move = await lockMove(tx, organizationId)
    if (!move) throw new Error('organization: is not moving')
    if (move.state === 'gone') throw new Error('organization: was given up here, and the next cell may serve it')
    if (move.state === 'arrived') {
      if (!isNotGivenUp)
        throw new Error(
          'organization: may have been given up by its former cell, and then this is all there is of it; run `signet move undo` there first, ' +
            'and if that succeeds, this again with --not-given-up',
        )
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
