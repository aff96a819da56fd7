// What the demos and `npm run dev` stand on: programs that run beside the script, and an end that leaves nothing behind,
// also after Ctrl-C.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export type Program = {
  /** Waits until its output matches, and gives the match. Throws when the program ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
  ended: Promise<void>
}
type Running = {
  env: NodeJS.ProcessEnv
  /** What Node runs, if not the file that the program is named after. */
  args?: string[]
  /** `shown`: kept, and shown as it comes; `inherited`: it writes to our own, and nothing is kept. */
  output?: 'kept' | 'shown' | 'inherited'
}

export const root = join(import.meta.dirname, '..')
export const interrupted = new Error('it was interrupted')
/** What has to end, the last first. */
export const cleanup = new AsyncDisposableStack()
const stopping = new AbortController()
const stopMs = 10_000
/** Of a program's output, in characters: `until` finds nothing that is older. */
const maxKept = 1_000_000

/** Ends the story before its time. */
export const stopBecause = (reason: Error) => stopping.abort(reason)

/** Gives the timer. */
export const stopAfter = (limitMs: number) =>
  setTimeout(() => stopBecause(new Error(`it took longer than ${limitMs / 1_000} s`)), limitMs)

/** Runs the story until it ends, fails or is stopped, and cleans up. Gives why it did not come to its end. */
export async function runToEnd(story: () => Promise<void>): Promise<Error | undefined> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopBecause(interrupted))
  const stopped = once(stopping.signal, 'abort').then((): Error => stopping.signal.reason)
  const failure = await Promise.race([story().then(() => undefined), stopped]).catch((error: Error) => error)
  await cleanup.disposeAsync()
  return failure
}

/** In a process group of its own: Ctrl-C is for the script, which then stops one program after the other. */
export function run(name: string, { env, args = [join(root, name)], output = 'kept' }: Running): Program {
  stopping.signal.throwIfAborted()
  const stdio = output === 'inherited' ? 'inherit' : 'pipe'
  const child = spawn(process.execPath, args, { cwd: root, env, detached: true, stdio: ['ignore', stdio, stdio] })
  const ended = once(child, 'close').then(() => {})
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await ended
    clearTimeout(timer)
  }
  cleanup.defer(stop)
  if (output === 'shown') {
    child.stdout?.pipe(process.stdout)
    child.stderr?.pipe(process.stderr)
  }
  return { until: reading(name, [child.stdout, child.stderr], ended), stop, ended }
}

function reading(name: string, streams: (NodeJS.ReadableStream | null)[], ended: Promise<void>): Program['until'] {
  let output = ''
  let grown = Promise.withResolvers<void>()
  const grow = (text: string) => {
    output = (output + text).slice(-maxKept)
    grown.resolve()
    grown = Promise.withResolvers()
  }
  for (const stream of streams) stream?.setEncoding('utf8').on('data', grow)
  const end = ended.then(() => 'ended' as const)
  return async (pattern) => {
    for (;;) {
      const found = pattern.exec(output)
      if (found) return found
      if ((await Promise.race([grown.promise, end])) === 'ended') throw new Error(`${name} ended:\n${output}`)
    }
  }
}
