import { rm } from 'node:fs/promises'
import { moveIn } from '../../../operator/move/index.ts'
import { withCell } from '../cell-of.ts'
import { type Command, passphraseOf, showSteps } from './command.ts'

/** `signet move in <file>`. */
export async function moveInCommand({ config, output, file }: Command & { file: string }) {
  const passphrase = passphraseOf(config)
  const onProgress = showSteps(output)
  const { organizationId, receipt } = await withCell(config, (cell) => moveIn(cell, { file, passphrase, onProgress }))
  await output.show(
    { type: 'moved_in', organization_id: organizationId, receipt },
    `Imported: ${organizationId}, not served yet\nReceipt: ${receipt}\n` +
      `At the former cell, run: signet move give-up ${organizationId} ${receipt}`,
  )
  // Only then: without the file the receipt could not be told again.
  await rm(file)
}
