import { moveOut } from '../../../operator/move/index.ts'
import { withCell } from '../cell-of.ts'
import { type OfOrganization, passphraseOf, showSteps } from './command.ts'

/** `signet move out <organization> <file>`. */
export async function moveOutCommand({ config, output, organizationId, file }: OfOrganization & { file: string }) {
  const passphrase = passphraseOf(config)
  const onProgress = showSteps(output)
  const { rows } = await withCell(config, (cell) => moveOut(cell, organizationId, { file, passphrase, onProgress }))
  await output.show(
    { type: 'moved_out', organization_id: organizationId, file, rows },
    `Written: ${file}, ${rows} rows\nAt the next cell, run: signet move in <file>`,
  )
}
