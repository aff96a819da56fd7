import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const repository = join(import.meta.dirname, '../../..')

/** A program of ours as somebody at a terminal starts it: in a process group of its own. */
export type Program = {
  /** Also the number of its group. */
  pid: number
  /** All that it and its children have said so far. */
  output(): string
  /** Waits until it has said that; rejects when it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** Its exit code, or the signal that ended it; once all of its group have ended. */
  ended: Promise<number | NodeJS.Signals>
}

/** What ends with a test; or with a file, for what its tests share. */
export type Life = { onTestFinished(clean: () => void): void }

/** The options of Node, and where it caches what it has compiled: a start takes a fifth less of the processor. */
export const optionsOfNode = () => {
  const { NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env
  return { NODE_OPTIONS, NODE_COMPILE_CACHE }
}

/** Of its environment it gets the path, the options of Node and what is given. Whatever is left of its group is killed in the end. */
export function run({ onTestFinished }: Life, command: string[], environment: Record<string, string>): Program {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: repository,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...optionsOfNode(), ...environment },
  })
  const pid = child.pid as number
  let output = ''
  let listen = () => {}
  const said = (chunk: Buffer) => {
    output += chunk
    listen()
  }
  child.stdout.on('data', said)
  child.stderr.on('data', said)
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? (signal as NodeJS.Signals)))
  })
  onTestFinished(() => kill(-pid))
  return {
    pid,
    output: () => output,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        listen = () => {
          const match = pattern.exec(output)
          if (match) resolve(match)
        }
        listen()
        void ended.then((end) => reject(new Error(`ended with ${end} before it said ${pattern}:\n${output}`)))
      }),
  }
}

/** Sends a process the signal, or a whole group, by its negative number; one that has ended needs none. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL') {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** A folder that others may enter, as PostgreSQL must when root starts it. What still runs on it is killed in the end. */
export function temporaryFolder({ onTestFinished }: Life): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  chmodSync(folder, 0o711)
  onTestFinished(() => {
    killAllOn(folder)
    rmSync(folder, { recursive: true, maxRetries: 10 })
  })
  return folder
}

export function killAllOn(folder: string) {
  for (const pid of processesOn(folder)) kill(pid)
}

/** Processes with that folder in their command line, such as its PostgreSQL. */
export const processesOn = (folder: string): number[] =>
  execFileSync('ps', ['-A', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder))
    .map((line) => Number.parseInt(line, 10))
