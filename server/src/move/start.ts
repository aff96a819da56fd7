import { announceDue } from '../delivery/index.ts'
import { hashOf } from '../runtime/secret-hash.ts'
import { type Cell, recordStep } from './cell.ts'
import { existsOrganization, lockMove } from './move-store.ts'
import { serve } from './serve.ts'

/** The last step, at the next cell: it serves the organization from the commit on. May be run again. */
export async function startMoved(cell: Cell, organizationId: string, startCode: string) {
  await cell.database.transaction(async (tx) => {
    const move = await lockMove(tx, organizationId)
    if (!move && (await existsOrganization(tx, organizationId))) return
    if (move?.state !== 'arrived') throw new Error('organization: has not arrived here')
    if (!move.startCodeHash?.equals(hashOf(startCode)))
      throw new Error('start code: is not that of this move, which `signet move give-up` prints at the former cell')
    await serve(cell, tx, organizationId)
    await recordStep(cell, tx, organizationId, 'startMovedOrganization')
  })
  await announceDue(cell.database.write)
}
