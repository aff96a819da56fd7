import { startMoved } from '../../../operator/move/index.ts'
import { withCell } from '../cell-of.ts'
import type { OfOrganization } from './command.ts'

/** `signet move start <organization> <start-code>`. */
export async function moveStartCommand({
  config,
  output,
  organizationId,
  startCode,
}: OfOrganization & { startCode: string }) {
  await withCell(config, (cell) => startMoved(cell, organizationId, startCode))
  await output.show(
    { type: 'move_started', organization_id: organizationId },
    `Served here: ${organizationId}\nAt the router: send its requests to this cell`,
  )
}
