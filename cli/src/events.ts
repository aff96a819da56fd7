import { Option } from 'commander'
import { eventNames, positive, since } from './arguments.ts'
import type { Register } from './context.ts'
import { examples } from './examples.ts'

export const registerEvents: Register = (program, contextOf) => {
  const command = program.command('events').description('Follow the events of the organization as they happen.')
  command
    .addOption(
      new Option('--since <time>', 'begin with what happened since, as 10m, 24h or 2026-01-31T08:00:00Z')
        .argParser(since)
        .conflicts('after'),
    )
    .option('--after <cursor>', 'begin after this place')
    .option('--events <names>', 'only these, separated by commas; a name may end in *', eventNames)
    .option('--limit <count>', 'end after so many', positive)
    .option('--no-follow', 'end with the last event that is there')
    .addHelpText(
      'after',
      examples(
        'signet events',
        'signet events --since 1h --events "Person*"',
        'signet events --since 24h --no-follow --json',
      ),
    )
    .action(async (options) => {
      const { printEvents } = await import('./events/print-events.ts')
      await printEvents(contextOf(command), options)
    })
}
