import { SignetError } from '@signet/management'
import { jsonObject, member, positive } from './arguments.ts'
import type { Context, Register } from './context.ts'
import { examples } from './examples.ts'
import { CommandError, exitCodes } from './failure.ts'

/** Of one request. */
const maxEvents = 50

type Options = { set?: Record<string, unknown>; data?: Record<string, unknown>; count?: number }

export const registerTrigger: Register = (program, contextOf) => {
  const command = program.command('trigger').description('Publish a test event with made-up content.')
  command
    .argument('<event>', 'name of the event, with or without its version')
    .option('--set <field=value>', 'a field of the event; may be repeated', member)
    .option('--data <json>', 'fields of the event as a JSON object', jsonObject)
    .option('--count <number>', `so many of them, at most ${maxEvents}`, positive)
    .addHelpText(
      'after',
      examples(
        'signet trigger PersonCreated',
        'signet trigger PersonDeleted --set region=eu --set \'groups=["staff"]\'',
        'signet trigger VirtualPageLoaded_v1 --data \'{"browser_metadata":{"window_location":"https://app.example/"}}\' --count 10',
      ),
    )
    .action((event, options) => publish(contextOf(command), event, options))
}

async function publish({ connect, output }: Context, event_name: string, { set, data, count = 1 }: Options) {
  if (count > maxEvents) throw new CommandError(`--count: must be at most ${maxEvents}`, exitCodes.usage)
  const { signet } = connect()
  const event = { ...data, ...set, event_name }
  const body = Array.from({ length: count }, () => event) as never
  const { result } = await signet.publishTestEvents({ body }).catch((error) => {
    throw asUsage(error)
  })
  for (const published of result)
    await output.show(
      { type: 'published', ...published },
      `${published.event_name} ${published.event_id} ${published.timestamp}`,
    )
}

/** All of the body comes from the command line, and its events are alike: what is wrong with one is said once. */
function asUsage(error: unknown): unknown {
  if (!(error instanceof SignetError) || error.status !== 400) return error
  const rules = error.errors.map(({ message }) => message.replace(/^\[\d+\]\.?/, ''))
  return rules.length > 0 ? new CommandError([...new Set(rules)].join('; '), exitCodes.usage) : error
}
