import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { Command, CommanderError } from 'commander'
import { commands } from './commands.ts'
import { type ConnectionOptions, connectionOf, findPlace, publicConnectionOf } from './connection.ts'
import type { Context, Register } from './context.ts'
import { describeFailure, exitCodes } from './failure.ts'
import { createOutput, printableLines } from './output.ts'
import { version } from './version.ts'

/** npm forwards a signal that its whole group received as well: a second one within this time is the same. */
const sameSignalMs = 1_000

/** What the program of @signet/server adds, what a test answers, and the name where it is another one. */
type Additions = {
  name?: string
  commands?: Register[]
  examineMore?: NonNullable<Context['examineMore']>
  ask?: NonNullable<Context['ask']>
}

type Options = ConnectionOptions & { json?: boolean }

/** Runs one command line, and ends the process with its code. */
export async function runProgram(args: string[], additions: Additions = {}): Promise<never> {
  endWithReader()
  const signals = onSignals()
  const code = await Promise.race([execute(args, additions, signals), signals.end])
  await new Promise((flushed) => process.stdout.write('', flushed))
  process.exit(signals.code() ?? code)
}

/** Gives the exit code. */
export function execute(args: string[], additions: Additions, { take, code }: Pick<Signals, 'take' | 'code'>) {
  const isJson = args.includes('--json')
  return createProgram({ ...additions, isJson }, take)
    .parseAsync(args, { from: 'user' })
    .then(
      () => Number(process.exitCode ?? exitCodes.done),
      (error) => {
        const signalCode = code()
        return signalCode && isInterruption(error) ? signalCode : report(error, isJson, signalCode)
      },
    )
}

type Program = Additions & { isJson: boolean }

function createProgram(
  { name = 'signet', commands: further = [], isJson, ...additions }: Program,
  takeSignal: () => AbortSignal,
): Command {
  const program = new Command(name)
    .description('Signet at the command line.')
    .version(version, '--version', 'print the version')
    .option('--url <url>', 'address of the service (SIGNET_URL; default: http://localhost:8080)')
    .option('--organization <id>', 'organization (SIGNET_ORGANIZATION_ID; default: that of the key)')
    .option('--api-key <key>', 'API key (SIGNET_API_KEY or SIGNET_API_KEY_FILE; default: the one in the data folder)')
    .option('--json', 'print JSON, one object a line, each with a `type`')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows how it is used)')
    .exitOverride()
  if (isJson) program.configureOutput({ writeErr: () => {} })
  const contextOf = (command: Command) => ({
    ...createContext(command.optsWithGlobals<Options>(), takeSignal),
    ...additions,
  })
  for (const register of [...commands, ...further]) register(program, contextOf)
  return program
}

function createContext(options: Options, takeSignal: () => AbortSignal): Omit<Context, 'examineMore'> {
  const environment = process.env
  return {
    environment,
    takeSignal,
    output: createOutput({ isJson: options.json ?? false }),
    connect: () => connectionOf(options, environment),
    connectWithoutKey: () => publicConnectionOf(options, environment),
    place: () => findPlace(options, environment),
    ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
  }
}

/** A terminal that is read gives Ctrl-C to its reader; Ctrl-D is no answer, and so a no. */
async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  terminal.on('SIGINT', () => process.emit('SIGINT'))
  const closed = once(terminal, 'close').then(() => '\n')
  const answer = await Promise.race([terminal.question(`${question} [y/N] `).catch(() => '\n'), closed])
  terminal.close()
  if (answer === '\n') process.stderr.write(answer)
  return /^y(es)?$/i.test(answer.trim())
}

/** It has nothing to say beyond the signal. */
const isInterruption = (error: unknown) =>
  [error, (error as Error | undefined)?.cause].some((each) => (each as Error | undefined)?.name === 'AbortError')

/** Of an interrupted command the signal decides the code. */
function report(error: unknown, isJson: boolean, signalCode: number | undefined): number {
  // Commander has printed it.
  if (error instanceof CommanderError && (error.exitCode === 0 || !isJson))
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  const { message, ...failure } = error instanceof CommanderError ? describeUsage(error) : describeFailure(error)
  const exitCode = signalCode ?? failure.exitCode
  if (isJson) console.log(JSON.stringify({ type: 'error', message, exit_code: exitCode }))
  else console.error(printableLines(message))
  return exitCode
}

const describeUsage = ({ code, message }: CommanderError) => ({
  message: code === 'commander.help' ? 'a command is required' : message.replace(/^error: /, ''),
  exitCode: exitCodes.usage,
})

/** As `head` leaves a pipe, which the next write tells: Node has no look at a pipe that it only writes. */
function endWithReader() {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : exitCodes.failed))
}

/** Of a shell. */
const signalCodes = { SIGINT: exitCodes.interrupted, SIGTERM: 143, SIGHUP: 129 } as const

type Signals = ReturnType<typeof onSignals>

const listeners = new Map<string, () => void>()

/** From here on they are the command's own: it ends this process. */
export function stopHandlingSignals() {
  for (const [name, listener] of listeners) process.off(name, listener)
}

/** A command that took the signal ends by itself, unless a further signal comes; any other one is ended at once. */
function onSignals() {
  const controller = new AbortController()
  let resolveEnd: (code: number) => void = () => {}
  const end = new Promise<number>((resolve) => {
    resolveEnd = resolve
  })
  const state = { code: undefined as number | undefined, isTaken: false, since: 0 }
  for (const [name, code] of Object.entries(signalCodes)) {
    const listener = () => {
      const isFurther = state.code !== undefined && performance.now() - state.since > sameSignalMs
      if (state.code === undefined) Object.assign(state, { code, since: performance.now() })
      controller.abort()
      if (isFurther || !state.isTaken) resolveEnd(code)
    }
    process.on(name, listener)
    listeners.set(name, listener)
  }
  const take = () => {
    state.isTaken = true
    return controller.signal
  }
  return { take, end, code: () => state.code }
}
