import { Option } from 'commander'
import { eventNames } from './arguments.ts'
import type { Register } from './context.ts'
import { examples } from './examples.ts'

export const registerListen: Register = (program, contextOf) => {
  const command = program
    .command('listen')
    .description('Get the webhooks of all events at a receiver on this machine, without a tunnel.')
  command
    .requiredOption('--forward-to <url>', 'the receiver, such as http://localhost:3000/hook')
    .option('--events <names>', 'only these, separated by commas; a name may end in *', eventNames)
    .option('--target-url <url>', 'the target_url in the webhooks (default: the receiver)')
    .addOption(new Option('--from <place>', 'forget where the last run ended').choices(['now']))
    .option('--once', 'end after one event')
    .option('--print-key-set', 'first print the key set that verifies the webhooks')
    .option('-v, --verbose', 'also print what the receiver answers')
    .addHelpText(
      'after',
      examples(
        'signet listen --forward-to http://localhost:3000/hook',
        'signet listen --forward-to http://localhost:3000/hook --events "Person*" --once',
      ),
    )
    .action(async (options) => {
      const { listen } = await import('./listen/listen.ts')
      await listen(contextOf(command), options)
    })
}
