import { rm } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { finishMove, moveIn, moveOut, type Progress, startMoved, undoMove } from '../move/index.ts'
import { withCell } from './cell-of.ts'
import type { Output } from './command-output.ts'

/** Between two lines of progress of the same kind. */
const progressEveryMs = 1_000

type Command = { config: Config; output: Output }
type OfOrganization = Command & { organizationId: string }

/** `signet move out <organization> <file>`. */
export async function moveOutCommand({ config, output, organizationId, file }: OfOrganization & { file: string }) {
  const passphrase = passphraseOf(config)
  const onProgress = showSteps(output)
  const { rows } = await withCell(config, (cell) => moveOut(cell, organizationId, { file, passphrase, onProgress }))
  await output.show(
    { type: 'moved_out', organization_id: organizationId, file, rows },
    `Written: ${file}, ${rows} rows\nNext, at the other cell: signet move in <file>`,
  )
}

/** `signet move in <file>`. */
export async function moveInCommand({ config, output, file }: Command & { file: string }) {
  const passphrase = passphraseOf(config)
  const onProgress = showSteps(output)
  const { organizationId, receipt } = await withCell(config, (cell) => moveIn(cell, { file, passphrase, onProgress }))
  await output.show(
    { type: 'moved_in', organization_id: organizationId, receipt },
    `Imported: ${organizationId}, not served yet\nReceipt: ${receipt}\n` +
      `Next, at the former cell: signet move finish ${organizationId} ${receipt}`,
  )
  // Only then: without the file the receipt could not be told again.
  await rm(file)
}

/** `signet move finish <organization> <receipt>`. */
export async function moveFinishCommand({
  config,
  output,
  organizationId,
  receipt,
}: OfOrganization & { receipt: string }) {
  const release = await withCell(config, (cell) => finishMove(cell, organizationId, receipt))
  await output.show(
    { type: 'move_finished', organization_id: organizationId, release },
    `Given up: ${organizationId}; what it had here is removed in some ten minutes\nRelease: ${release}\n` +
      `Next, at the other cell: signet move start ${organizationId} ${release}`,
  )
}

/** `signet move start <organization> <release>`. */
export async function moveStartCommand({
  config,
  output,
  organizationId,
  release,
}: OfOrganization & { release: string }) {
  await withCell(config, (cell) => startMoved(cell, organizationId, release))
  await output.show(
    { type: 'move_started', organization_id: organizationId },
    `Served here: ${organizationId}\nNext, at the router: send its requests to this cell`,
  )
}

/** `signet move undo <organization>`. */
export async function moveUndoCommand({ config, output, organizationId }: OfOrganization) {
  const undone = await withCell(config, (cell) => undoMove(cell, organizationId))
  const texts = {
    served: `Served again: ${organizationId}; remove the file, and undo the move at the other cell where it was imported`,
    removed: `Removed: ${organizationId}; it is served by its former cell once the move is undone there`,
  }
  await output.show({ type: 'move_undone', organization_id: organizationId, result: undone }, texts[undone])
}

function passphraseOf({ movePassphrase }: Config): string {
  if (!movePassphrase) throw new Error('SIGNET_MOVE_PASSPHRASE: is required; the same at both cells')
  return movePassphrase
}

/** A line for each step, and now and then one of a step that counts. */
function showSteps(output: Output): Progress {
  let shown = ''
  let shownAt = Number.NEGATIVE_INFINITY
  return (step) => {
    const kind = step.replace(/\d+/g, '')
    if (kind === shown && performance.now() - shownAt < progressEveryMs) return
    shown = kind
    shownAt = performance.now()
    void output.show({ type: 'progress', step }, step)
  }
}
