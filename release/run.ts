// The programs of the rehearsal: each in a process group of its own, with its output in a log, and none left at the end, even after Ctrl-C.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'

export type Given = {
  /** The path of a file, to which the output is added. */
  log: string
  cwd?: string
  env?: NodeJS.ProcessEnv
}
export type Program = {
  pid: number
  output(): string
  /** Resolves once the output matches; throws when the program ends, or the time is up, before. */
  until(pattern: RegExp): Promise<void>
  /** As Ctrl-C at a terminal would, and by force after half a minute. Resolves to the status. */
  stop(): Promise<number | null>
  ended: Promise<number | null>
}

/** What has to be removed at the end, in reverse order, once no program runs. */
export const cleanup = new AsyncDisposableStack()
const interrupted = new Error('it was interrupted')
const stopping = new AbortController()
const running = new Set<() => Promise<unknown>>()
let isCleaning = false
const stopMs = 30_000
const limitMs = 15 * 60_000
/** Characters of the output that are shown of a program that failed. */
const maxShown = 2_000

/** Runs `story`, and cleans up. Resolves to the reason if it did not end by itself. */
export async function runToEnd(story: () => Promise<void>): Promise<Error | undefined> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort(interrupted))
  const stopped = once(stopping.signal, 'abort').then((): Error => stopping.signal.reason)
  const failure = await Promise.race([story().then(() => undefined), stopped]).catch((error: Error) => error)
  isCleaning = true
  await Promise.all([...running].map((stop) => stop()))
  const left = await cleanup.disposeAsync().catch((error: Error) => error)
  return failure ?? left ?? undefined
}

/** Runs a program to its end. Returns what it wrote to its standard output; throws when it fails. */
export async function run(command: string[], given: Given): Promise<string> {
  const { child, collected, program } = begin(command, given)
  let stdout = ''
  child.stdout?.on('data', (text) => (stdout += text))
  const status = await Promise.race([program.ended, once(AbortSignal.timeout(limitMs), 'abort')])
  if (status === 0) return stdout.trim()
  await program.stop()
  const end = Array.isArray(status) ? `took longer than ${limitMs / 60_000} minutes` : `ended with ${status}`
  throw new Error(`${named(command)} ${end}: ${collected().trim().slice(-maxShown)}`)
}

/** Starts a program that runs until it is stopped. */
export const start = (command: string[], given: Given): Program => begin(command, given).program

function begin([name = '', ...args]: string[], { log, cwd, env }: Given) {
  if (!isCleaning) stopping.signal.throwIfAborted()
  const child = spawn(name, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = collect(child, log)
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => resolve(output.add(error.message) ?? 127))
    child.once('close', resolve)
  })
  const stop = () => stopGroup(child, ended)
  running.add(stop)
  ended.then(() => running.delete(stop))
  const until = (pattern: RegExp) => output.until(pattern, ended, named([name, ...args]))
  return { child, collected: output.text, program: { pid: child.pid ?? 0, output: output.text, until, stop, ended } }
}

function collect(child: ChildProcess, log: string) {
  let text = ''
  let grown = Promise.withResolvers<void>()
  const add = (more: string) => {
    text += more
    appendFileSync(log, more)
    grown.resolve()
    grown = Promise.withResolvers()
  }
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', add)
  return { text: () => text, add, until }

  async function until(pattern: RegExp, ended: Promise<unknown>, name: string) {
    const end = Promise.race([ended, once(AbortSignal.timeout(limitMs), 'abort')]).then(() => 'over' as const)
    while (!pattern.test(text))
      if ((await Promise.race([grown.promise, end])) === 'over' && !pattern.test(text))
        throw new Error(`${name} did not say ${pattern}: ${text.trim().slice(-maxShown)}`)
  }
}

async function stopGroup({ pid, exitCode, signalCode }: ChildProcess, ended: Promise<number | null>) {
  if (!pid || exitCode !== null || signalCode !== null) return exitCode
  signal(pid, 'SIGINT')
  const timer = setTimeout(() => signal(pid, 'SIGKILL'), stopMs)
  const status = await ended
  clearTimeout(timer)
  return status
}

function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(-pid, name)
  } catch {
    // The group has just ended.
  }
}

const named = (command: string[]) => command.join(' ').slice(0, 120)
