// Shared by the demos and `signet dev`: runs programs beside the script, and leaves nothing behind at the end, even after
// Ctrl-C.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export type Program = {
  /** Resolves to the match once the output matches. Throws when the program ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
  ended: Promise<void>
}
type Running = {
  env: NodeJS.ProcessEnv
  /** The arguments of Node; by default the file that the program is named after. */
  args?: string[]
  /** `shown`: kept for `until`, and also printed; `inherited`: written to our own output, and not kept. */
  output?: 'kept' | 'shown' | 'inherited'
}

/** Of the clone, or of the package. */
export const root = join(import.meta.dirname, '..')
export const interrupted = new Error('it was interrupted')
/** What has to be stopped or removed at the end, in reverse order. */
export const cleanup = new AsyncDisposableStack()
const stopping = new AbortController()
export const stopped = stopping.signal
const stopMs = 10_000
/** Characters of a program's output; `until` finds nothing older. */
const maxKept = 1_000_000

/** Ends the script early. */
export const stopBecause = (reason: Error) => stopping.abort(reason)

/** Returns the timer. */
export const stopAfter = (limitMs: number) =>
  setTimeout(() => stopBecause(new Error(`it took longer than ${limitMs / 1_000} s`)), limitMs)

/** Runs `story` until it ends, fails or is stopped, and cleans up. Resolves to the reason if it did not end by itself. */
export async function runToEnd(story: () => Promise<void>): Promise<Error | undefined> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopBecause(interrupted))
  const stop = once(stopped, 'abort').then((): Error => stopped.reason)
  const failure = await Promise.race([story().then(() => undefined), stop]).catch((error: Error) => error)
  await cleanup.disposeAsync()
  return failure
}

/** Runs in a process group of its own: only the script receives Ctrl-C, and then stops the programs one by one. */
export function run(name: string, { env, args = [join(root, name)], output = 'kept' }: Running): Program {
  stopped.throwIfAborted()
  const stdio = output === 'inherited' ? 'inherit' : 'pipe'
  const child = spawn(process.execPath, args, { env, detached: true, stdio: ['ignore', stdio, stdio] })
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
