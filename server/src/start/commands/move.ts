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
  show: Output['show']
  sealing: { passphrase: string; onProgress(step: string): void }
}

const exampleId = '0199a3f2-5c00-7000-8000-0242ac120002'

/** Each step names the next one when it ends. */
export const registerMove: Register = (program, contextOf) => {
  const move = program
    .command('move')
    .description('Move an organization to another cell: out, in, give-up, start; or undo.')
    .addHelpText(
      'after',
      `\nSIGNET_MOVE_PASSPHRASE seals the file. Each step can be stopped and run again: docs/operate/cells.md.\n${examples(
        `signet move out ${exampleId} acme.move`,
        'signet move in acme.move',
      )}`,
    )
  const step = (usage: string, description: string, example: string) =>
    move
      .command(usage)
      .description(description)
      .addHelpText('after', examples(`signet move ${example}`))
  type Run = (command: Parameters<typeof contextOf>[0], work: (step: Step) => Promise<void>) => Promise<void>
  const run: Run = (command, work) => runStep(contextOf(command).output, () => '', work)
  const runSealed: Run = (command, work) => runStep(contextOf(command).output, passphraseOf, work)

  step(
    'out <organization> <file>',
    'At the former cell: stop serving the organization, and write all it has into a sealed file.',
    `out ${exampleId} acme.move`,
  ).action((organization: string, file: string, _options, command) => {
    const id = organizationOf(organization)
    return runSealed(command, (given) => out(given, id, file))
  })
  step('in <file>', 'At the next cell: import the file, which is removed then.', 'in acme.move').action(
    (file: string, _options, command) => runSealed(command, (given) => into(given, file)),
  )
  step(
    'give-up <organization> <receipt>',
    'At the former cell: give the organization up for good.',
    `give-up ${exampleId} "$RECEIPT"`,
  ).action((organization: string, receipt: string, _options, command) => {
    const id = organizationOf(organization)
    return run(command, (given) => giveUp(given, id, receipt))
  })
  step(
    'start <organization> <start-code>',
    'At the next cell: serve the organization.',
    `start ${exampleId} "$START_CODE"`,
  ).action((organization: string, startCode: string, _options, command) => {
    const id = organizationOf(organization)
    return run(command, (given) => start(given, id, startCode))
  })
  step(
    'undo <organization>',
    'At either cell, before the former one has given it up: as if the move had not begun.',
    `undo ${exampleId}`,
  )
    .option('--not-given-up', 'at the next cell: say that the former one has not given it up', false)
    .action((organization: string, { notGivenUp }: { notGivenUp: boolean }, command) => {
      const id = organizationOf(organization)
      return run(command, (given) => undo(given, id, notGivenUp))
    })
}

function organizationOf(text: string): string {
  if (!isUuid(text)) throw usage('<organization>: must be the id of an organization, a UUID')
  return text.toLowerCase()
}

/** What is wrong with the call is said before a database is looked for. */
async function runStep(output: Output, passphraseIn: (config: Config) => string, work: (step: Step) => Promise<void>) {
  const config = await readSettings()
  const passphrase = passphraseIn(config)
  const [move, { withCell }] = await Promise.all([loadMove(), import('./cell.ts')])
  const progress = showProgress(output)
  const sealing = { passphrase, onProgress: (step: string) => progress.show({ step }, step) }
  const show: Output['show'] = (...result) => {
    progress.end()
    return output.show(...result)
  }
  await withCell(config, (cell) => work({ move, cell, show, sealing })).finally(progress.end)
}

function passphraseOf({ movePassphrase }: Config): string {
  if (!movePassphrase) throw usage('SIGNET_MOVE_PASSPHRASE: is required; the same at both cells')
  return movePassphrase
}

async function out({ move, cell, show, sealing }: Step, organizationId: string, file: string) {
  const { rows } = await move.moveOut(cell, organizationId, { file, ...sealing })
  await show(
    { type: 'moved_out', organization_id: organizationId, file, rows },
    `Written: ${file}, ${rows} rows\nAt the next cell, run: signet move in <file>`,
  )
}

async function into({ move, cell, show, sealing }: Step, file: string) {
  const { organizationId, receipt } = await move.moveIn(cell, { file, ...sealing })
  await show(
    { type: 'moved_in', organization_id: organizationId, receipt },
    `Imported: ${organizationId}, not served yet\nReceipt: ${receipt}\n` +
      `At the former cell, run: signet move give-up ${organizationId} ${receipt}`,
  )
  // Only then: without the file the receipt could not be told again.
  await rm(file)
}

async function giveUp({ move, cell, show }: Step, organizationId: string, receipt: string) {
  const startCode = await move.giveUpMoved(cell, organizationId, receipt)
  await show(
    { type: 'given_up', organization_id: organizationId, start_code: startCode },
    `Given up: ${organizationId}; what it had here is removed in some ten minutes\nStart code: ${startCode}\n` +
      `At the next cell, run: signet move start ${organizationId} ${startCode}`,
  )
}

async function start({ move, cell, show }: Step, organizationId: string, startCode: string) {
  await move.startMoved(cell, organizationId, startCode)
  await show(
    { type: 'move_started', organization_id: organizationId },
    `Served here: ${organizationId}\nAt the router: send its requests to this cell`,
  )
}

async function undo({ move, cell, show }: Step, organizationId: string, isNotGivenUp: boolean) {
  const undone = await move.undoMove(cell, organizationId, { isNotGivenUp })
  const texts = {
    served: `Served again: ${organizationId}; remove the file, and undo the move at the next cell if it was imported there`,
    removed: `Removed: ${organizationId}; it is served by its former cell once the move is undone there`,
  }
  await show({ type: 'move_undone', organization_id: organizationId, result: undone }, texts[undone])
}
