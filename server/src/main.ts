import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import type { Started } from './start/start.ts'

/**
 * `npm start`. SIGTERM and SIGINT stop gracefully. npm forwards a signal that its whole process group received as well, so a
 * second signal within `sameSignalMs` counts as the same one; a later one forces the stop.
 */
// Beside the packages: in the system's temporary folder other users could place code that would run here.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/signet'))
const sameSignalMs = 1_000

const { ConfigError, readConfig } = await import('./start/config.ts')
const { start } = await import('./start/start.ts')
const { collectGarbageSoon } = await import('./ground/runtime/collect-garbage.ts')

const say = (line: string) => process.stdout.write(`${line}\n`)

function fail(error: unknown): never {
  const lines = error instanceof ConfigError ? error.problems : [(error as Error).message]
  for (const line of lines) process.stderr.write(`${line}\n`)
  process.exit(1)
}

let signalledAt: number | undefined
const stopping = new AbortController()
let starting: Promise<Started> | undefined

async function stop() {
  const now = performance.now()
  if (signalledAt !== undefined) {
    if (now - signalledAt > sameSignalMs) process.exit(1)
    return
  }
  signalledAt = now
  say('Stopping…')
  stopping.abort()
  const started = await starting?.catch(() => undefined)
  await started?.stop()
  process.exit(0)
}

/** A start that is under way has read them just now. */
async function reload() {
  const started = await starting?.catch(() => undefined)
  if (started && signalledAt === undefined) say(await started.reload())
}

process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// At a terminal it means that this was closed; elsewhere it is how services are told to read their files again.
process.on('SIGHUP', isatty(0) ? stop : reload)
// The reader of the output is gone, which does not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  starting = start(readConfig(), { say, signal: stopping.signal })
  const { lines } = await starting
  // A start allocates far more than it keeps: this collection takes some 110 ms and frees some 40 MB, which leaves some 160 MB in
  // use (measured). That makes room for the semi-spaces of 32 MB that `npm start` sets for requests and deliveries: with 8 MB,
  // garbage collection took a tenth of the processor time of a delivery. The start is ready before it, and few requests have arrived.
  collectGarbageSoon()
  if (signalledAt === undefined) for (const line of [...lines, 'Ready. Stop with Ctrl-C.']) say(line)
} catch (error) {
  // Ctrl-C also ends the programs that a first start runs, which is no failure then.
  if (signalledAt === undefined) fail(error)
}
