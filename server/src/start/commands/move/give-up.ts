import { giveUpMoved } from '../../../operator/move/index.ts'
import { withCell } from '../cell-of.ts'
import type { OfOrganization } from './command.ts'

/** `signet move give-up <organization> <receipt>`. */
export async function giveUpCommand({ config, output, organizationId, receipt }: OfOrganization & { receipt: string }) {
  const startCode = await withCell(config, (cell) => giveUpMoved(cell, organizationId, receipt))
  await output.show(
    { type: 'given_up', organization_id: organizationId, start_code: startCode },
    `Given up: ${organizationId}; what it had here is removed in some ten minutes\nStart code: ${startCode}\n` +
      `At the next cell, run: signet move start ${organizationId} ${startCode}`,
  )
}
