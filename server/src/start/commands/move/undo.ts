import { undoMove } from '../../../operator/move/index.ts'
import { withCell } from '../cell-of.ts'
import type { OfOrganization } from './command.ts'

/** `signet move undo <organization> [--not-given-up]`. */
export async function moveUndoCommand({
  config,
  output,
  organizationId,
  isNotGivenUp,
}: OfOrganization & { isNotGivenUp: boolean }) {
  const undone = await withCell(config, (cell) => undoMove(cell, organizationId, { isNotGivenUp }))
  const texts = {
    served: `Served again: ${organizationId}; remove the file, and undo the move at the next cell if it was imported there`,
    removed: `Removed: ${organizationId}; it is served by its former cell once the move is undone there`,
  }
  await output.show({ type: 'move_undone', organization_id: organizationId, result: undone }, texts[undone])
}
