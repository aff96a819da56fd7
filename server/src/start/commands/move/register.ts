import { examples, type Register } from '@signet/cli'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { readSettings, usage } from '../command-settings.ts'

/** Each step names the next one when it ends. */
export const registerMove: Register = (program, contextOf) => {
  const given = async (command: Parameters<typeof contextOf>[0]) => ({
    config: await readSettings(),
    output: contextOf(command).output,
  })
  const move = program
    .command('move')
    .description('Move an organization to another cell: out, in, give-up, start; or undo.')
    .addHelpText(
      'after',
      `\nSIGNET_MOVE_PASSPHRASE seals the file. Each step can be stopped and run again: docs/operate/cells.md.\n${examples(
        'signet move out 0199a3f2-5c00-7000-8000-0242ac120002 acme.move',
        'signet move in acme.move',
      )}`,
    )
  move
    .command('out <organization> <file>')
    .description('At the former cell: stop serving the organization, and write all it has into a sealed file.')
    .addHelpText('after', examples('signet move out 0199a3f2-5c00-7000-8000-0242ac120002 acme.move'))
    .action(async (organization: string, file: string, _options, command) => {
      const shared = await given(command)
      const { moveOutCommand } = await import('./out.ts')
      await moveOutCommand({ ...shared, organizationId: organizationOf(organization), file })
    })
  move
    .command('in <file>')
    .description('At the next cell: import the file, which is removed then.')
    .addHelpText('after', examples('signet move in acme.move'))
    .action(async (file: string, _options, command) => {
      const shared = await given(command)
      const { moveInCommand } = await import('./in.ts')
      await moveInCommand({ ...shared, file })
    })
  move
    .command('give-up <organization> <receipt>')
    .description('At the former cell: give the organization up for good.')
    .addHelpText('after', examples('signet move give-up 0199a3f2-5c00-7000-8000-0242ac120002 "$RECEIPT"'))
    .action(async (organization: string, receipt: string, _options, command) => {
      const shared = await given(command)
      const { giveUpCommand } = await import('./give-up.ts')
      await giveUpCommand({ ...shared, organizationId: organizationOf(organization), receipt })
    })
  move
    .command('start <organization> <start-code>')
    .description('At the next cell: serve the organization.')
    .addHelpText('after', examples('signet move start 0199a3f2-5c00-7000-8000-0242ac120002 "$START_CODE"'))
    .action(async (organization: string, startCode: string, _options, command) => {
      const shared = await given(command)
      const { moveStartCommand } = await import('./start.ts')
      await moveStartCommand({ ...shared, organizationId: organizationOf(organization), startCode })
    })
  move
    .command('undo <organization>')
    .description('At either cell, before the former one has given it up: as if the move had not begun.')
    .addHelpText('after', examples('signet move undo 0199a3f2-5c00-7000-8000-0242ac120002'))
    .option('--not-given-up', 'at the next cell: say that the former one has not given it up', false)
    .action(async (organization: string, { notGivenUp }: { notGivenUp: boolean }, command) => {
      const shared = await given(command)
      const { moveUndoCommand } = await import('./undo.ts')
      const organizationId = organizationOf(organization)
      await moveUndoCommand({ ...shared, organizationId, isNotGivenUp: notGivenUp })
    })
}

function organizationOf(text: string): string {
  if (!isUuid(text)) throw usage('<organization>: must be the id of an organization, a UUID')
  return text.toLowerCase()
}
