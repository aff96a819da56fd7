import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type ProgramName, pathOf } from './programs.ts'

const readyWithinMs = 20_000
const stopsWithinMs = 10_000
const asRoot = process.getuid?.() === 0
/** Who runs the programs when the tests run as root. */
export const unprivileged = { uid: 65_534, gid: 65_534 }
const asNobody = ['--reuid', `${unprivileged.uid}`, '--regid', `${unprivileged.gid}`, '--clear-groups']

export type Running = {
  pid: number
  output(): string
  signal(name: NodeJS.Signals): void
  /** Ends it by `name`, SIGTERM by default, and by SIGKILL when that does not end it. */
  stop(name?: NodeJS.Signals): Promise<void>
}

/** How each is told to end with the process that started it; by SIGTERM PostgreSQL would wait for its clients. */
const deathSignal = (name: ProgramName) => (name === 'postgres' ? 'INT' : 'TERM')

/** As somebody who may do nothing else on this machine. */
export const commandFor = (name: ProgramName, ...args: string[]): [string, string[]] => [
  pathOf('setpriv'),
  [...(asRoot ? asNobody : []), '--pdeathsig', deathSignal(name), '--', pathOf(name), ...args],
]

/** Starts a server and waits until it takes connections at `port` of this machine. */
export async function runProgram(
  [program, args]: [string, string[]],
  port: number,
  environment: Record<string, string> = {},
): Promise<Running> {
  const child = spawn(program, args, {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C', ...environment },
  })
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop: Running['stop'] = async (name = 'SIGTERM') => {
    if (hasEnded()) return
    child.kill(name)
    const forced = setTimeout(() => child.kill('SIGKILL'), stopsWithinMs)
    await ended
    clearTimeout(forced)
  }
  await untilListening(port, hasEnded).catch(async (error) => {
    await stop('SIGKILL')
    throw new Error(`${args.join(' ')}: ${error.message}\n${output}`)
  })
  return { pid: child.pid as number, output: () => output, signal: (name) => void child.kill(name), stop }
}

async function untilListening(port: number, hasEnded: () => boolean) {
  const deadline = performance.now() + readyWithinMs
  while (!(await isListening(port))) {
    if (hasEnded()) throw new Error('it has ended')
    if (performance.now() > deadline) throw new Error(`nobody listened at ${port} within ${readyWithinMs} ms`)
    await wait(20)
  }
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
