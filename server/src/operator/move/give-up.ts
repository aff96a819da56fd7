import { toTimestamp } from '../../ground/runtime/clock.ts'
import { giveUpOrganization, lockMove, refuseIfOperators, saveMove } from '../../identity/organizations/index.ts'
import type { Cell } from './cell.ts'
import { codeFor, readCode, startCodeFor } from './codes.ts'

/**
 * The third step, at the former cell, which gives the organization up for good: what it has is purged as that of a deleted one. Only
 * whoever has imported it knows the receipt. Gives the start code of that import, and of no other. May be run again.
 */
export const giveUpMoved = (cell: Cell, organizationId: string, receipt: string) => {
  const { database, clock, keyring, operatorGroup } = cell
  refuseIfOperators(operatorGroup, organizationId)
  const { code, importId } = readCode(receipt, 'receipt')
  return database.transaction(async (tx) => {
    const move = await lockMove(tx, organizationId)
    if (!move || move.state === 'arrived') throw new Error('organization: is not moving from here')
    const startCode = startCodeFor(keyring, move.moveId, code)
    if (!startCode) throw new Error('receipt: is not that of this move, which `signet move in` prints')
    if (move.state === 'gone' && move.importId !== importId)
      throw new Error('receipt: is that of another import than the one for which the organization was given up')
    if (move.state === 'leaving') {
      const now = toTimestamp(clock.now())
      await giveUpOrganization(tx, organizationId, now)
      await saveMove(tx, organizationId, { ...move, state: 'gone', importId }, now)
    }
    return codeFor(startCode, importId)
  })
}
