import { announceDue } from '../../delivery/queue/index.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import { lockMove, refuseIfOperators } from '../../identity/organizations/index.ts'
import { type Cell, recordStep } from './cell.ts'
import { readCode } from './codes.ts'
import { isServed } from './move-store.ts'
import { serve } from './serve.ts'

/** The last step, at the next cell: it serves the organization from the commit on. May be run again. */
export async function startMoved(cell: Cell, organizationId: string, startCode: string) {
  refuseIfOperators(cell.operatorGroup, organizationId)
  const { code, importId } = readCode(startCode, 'start code')
  await cell.database.transaction(async (tx) => {
    const move = await lockMove(tx, organizationId)
    if (!move && (await isServed(tx, organizationId))) return
    if (move?.state !== 'arrived') throw new Error('organization: has not arrived here')
    if (move.importId !== importId || !move.startCodeHash?.equals(hashOf(code)))
      throw new Error('start code: is not that of this import, which `signet move give-up` prints at the former cell')
    await serve(cell, tx, organizationId)
    await recordStep(cell, tx, organizationId, 'startMovedOrganization')
  })
  await announceDue(cell.database.write)
}
