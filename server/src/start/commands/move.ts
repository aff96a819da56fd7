import { rm } from 'node:fs/promises'
import { examples, type Output, type Register } from '@signet/cli'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import type { Cell } from '../../operator/move/index.ts'
import type { Config } from '../config.ts'
import { showProgress } from './progress.ts'
import { readSettings, usage } from './settings.ts'

const loadMove = () => import('../../operator/move/index.ts')
type Move = Awaited<ReturnType<typeof loadMove>>

/** What a step is given: the steps themselves, this cell, and what seals the file. */
type Step = {
  move: Move
  cell: Cell
  output: Output
  sealing(): { passphrase: string; onProgress(step: string): void }
}

const exampleId = '0199a3f2-5c00-7000-8000-0242ac120002'

/** Each step names the next one when it ends. */
export const registerMove: Register = (program, contextOf) => {
  const move = program
    .command('move')
    .description('Move an organization to another cell: out, in, give-up, start; or undo.')
    .addHelpText(
      'after',
      `\nSIGNET_MOVE_PASSPHRASE seals the file. Each step can be stopped and run again: docs/cells.md.\n${examples(
        `signet move out ${exampleId} acme.move`,
        'signet move in acme.move',
      )}`,
    )
  const step = (usage: string, description: string, example: string) =>
    move
      .command(usage)
      .description(description)
      .addHelpText('after', examples(`signet move ${example}`))
  const run = (command: Parameters<typeof contextOf>[0], work: (step: Step) => Promise<void>) =>
    runStep(contextOf(command).output, work)

  step(
    'out <organization> <file>',
    'At the former cell: stop serving the organization, and write all it has into a sealed file.',
    `out ${exampleId} acme.move`,
  ).action((organization: string, file: string, _options, command) =>
    run(command, (given) => out(given, organizationOf(organization), file)),
  )
  step('in <file>', 'At the next cell: import the file, which is removed then.', 'in acme.move').action(
    (file: string, _options, command) => run(command, (given) => into(given, file)),
  )
  step(
    'give-up <organization> <receipt>',
    'At the former cell: give the organization up for good.',
    `give-up ${exampleId} "$RECEIPT"`,
  ).action((organization: string, receipt: string, _options, command) =>
    run(command, (given) => giveUp(given, organizationOf(organization), receipt)),
  )
  step(
    'start <organization> <start-code>',
    'At the next cell: serve the organization.',
    `start ${exampleId} "$START_CODE"`,
  ).action((organization: string, startCode: string, _options, command) =>
    run(command, (given) => start(given, organizationOf(organization), startCode)),
  )
  step(
    'undo <organization>',
    'At either cell, before the former one has given it up: as if the move had not begun.',
    `undo ${exampleId}`,
  )
    .option('--not-given-up', 'at the next cell: say that the former one has not given it up', false)
    .action((organization: string, { notGivenUp }: { notGivenUp: boolean }, command) =>
      run(command, (given) => undo(given, organizationOf(organization), notGivenUp)),
    )
}

function organizationOf(text: string): string {
  if (!isUuid(text)) throw usage('<organization>: must be the id of an organization, a UUID')
  return text.toLowerCase()
}

async function runStep(output: Output, work: (step: Step) => Promise<void>) {
  const config = await readSettings()
  const [move, { withCell }] = await Promise.all([loadMove(), import('./cell.ts')])
  const progress = showProgress(output)
  const sealing = () => ({
    passphrase: passphraseOf(config),
    onProgress: (step: string) => progress.show({ step }, step),
  })
  await withCell(config, (cell) => work({ move, cell, output, sealing })).finally(progress.end)
}

function passphraseOf({ movePassphrase }: Config): string {
  if (!movePassphrase) throw new Error('SIGNET_MOVE_PASSPHRASE: is required; the same at both cells')
  return movePassphrase
}

async function out({ move, cell, output, sealing }: Step, organizationId: string, file: string) {
  const { rows } = await move.moveOut(cell, organizationId, { file, ...sealing() })
  await output.show(
    { type: 'moved_out', organization_id: organizationId, file, rows },
    `Written: ${file}, ${rows} rows\nAt the next cell, run: signet move in <file>`,
  )
}

async function into({ move, cell, output, sealing }: Step, file: string) {
  const { organizationId, receipt } = await move.moveIn(cell, { file, ...sealing() })
  await output.show(
    { type: 'moved_in', organization_id: organizationId, receipt },
    `Imported: ${organizationId}, not served yet\nReceipt: ${receipt}\n` +
      `At the former cell, run: signet move give-up ${organizationId} ${receipt}`,
  )
  // Only then: without the file the receipt could not be told again.
  await rm(file)
}

async function giveUp({ move, cell, output }: Step, organizationId: string, receipt: string) {
  const startCode = await move.giveUpMoved(cell, organizationId, receipt)
  await output.show(
    { type: 'given_up', organization_id: organizationId, start_code: startCode },
    `Given up: ${organizationId}; what it had here is removed in some ten minutes\nStart code: ${startCode}\n` +
      `At the next cell, run: signet move start ${organizationId} ${startCode}`,
  )
}

async function start({ move, cell, output }: Step, organizationId: string, startCode: string) {
  await move.startMoved(cell, organizationId, startCode)
  await output.show(
    { type: 'move_started', organization_id: organizationId },
    `Served here: ${organizationId}\nAt the router: send its requests to this cell`,
  )
}

async function undo({ move, cell, output }: Step, organizationId: string, isNotGivenUp: boolean) {
  const undone = await move.undoMove(cell, organizationId, { isNotGivenUp })
  const texts = {
    served: `Served again: ${organizationId}; remove the file, and undo the move at the next cell if it was imported there`,
    removed: `Removed: ${organizationId}; it is served by its former cell once the move is undone there`,
  }
  await output.show({ type: 'move_undone', organization_id: organizationId, result: undone }, texts[undone])
}
