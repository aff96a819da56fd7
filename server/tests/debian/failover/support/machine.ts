import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { kill } from '../../../support/program.ts'
import { type ProgramName, pathOf } from '../../proxies/support/programs.ts'
import { unprivileged } from '../../proxies/support/run-program.ts'

/** A database node as the others on its network see it: a network namespace with a cable to a switch, which is a bridge. */
export type Machine = {
  address: string
  /** Appends what the program says to a file of its folder. */
  start(program: ProgramName, args: string[], env?: Record<string, string | undefined>): ChildProcess
  /** Every process. */
  signal(name: NodeJS.Signals): void
  /** Nothing arrives any more, and nobody is told so. */
  cut(): void
  join(): void
}

/** The processes of Signet, and the HAProxy of each machine, are at 10.0.0.1. */
const network = '10.0.0'
const bridge = 'lan'

export function openNetwork() {
  ip(`link add ${bridge} type bridge`, `addr add ${network}.1/24 dev ${bridge}`, `link set ${bridge} up`)
}

/** `folder` belongs to whom the programs run as. */
export function startMachine(name: string, number: number, folder: string): Machine {
  const address = `${network}.${number}`
  const join = () => ip(`link set ${name} master ${bridge}`)
  ip(`netns add ${name}`, `link add ${name} type veth peer name eth0 netns ${name}`, `link set ${name} up`)
  ip(`-n ${name} link set lo up`, `-n ${name} addr add ${address}/24 dev eth0`, `-n ${name} link set eth0 up`)
  join()
  return {
    address,
    start: (program, args, env) => startIn(name, folder, program, args, env),
    signal: (signal) => {
      // Some have ended since they were listed, such as a health check.
      for (const pid of pidsIn(name)) kill(pid, signal)
    },
    cut: () => ip(`link set ${name} nomaster`),
    join,
  }
}

function ip(...commands: string[]) {
  for (const command of commands) execFileSync(pathOf('ip'), command.split(' '), { stdio: ['ignore', 'pipe', 'pipe'] })
}

const pidsIn = (name: string) =>
  execFileSync(pathOf('ip'), ['netns', 'pids', name], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(Number)

const { uid, gid } = unprivileged

function startIn(name: string, folder: string, program: ProgramName, args: string[], env: NodeJS.ProcessEnv = {}) {
  const log = openSync(join(folder, `${program}.log`), 'a')
  const asNobody = ['--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', '--', pathOf(program)]
  return spawn(pathOf('ip'), ['netns', 'exec', name, pathOf('setpriv'), ...asNobody, ...args], {
    cwd: '/',
    stdio: ['ignore', log, log],
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: folder, ...env },
  })
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}
