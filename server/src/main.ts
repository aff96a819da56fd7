import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

/**
 * `npm start`. A stop by SIGTERM or SIGINT is graceful; npm passes on a signal that its whole process group got as
 * well, so a second one within a moment is the same one, and a later one forces.
 */
// Beside the packages: in the system's temporary folder somebody else could have put what is run here.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/signet'))
const sameSignalMs = 1_000
/** From ready on: who waits for the start does not wait for this, and requests have hardly begun. */
const giveBackAfterMs = 1_000

const { ConfigError, readConfig } = await import('./config.ts')
const { start } = await import('./start/start.ts')

const say = (line: string) => process.stdout.write(`${line}\n`)

function fail(error: unknown): never {
  const lines = error instanceof ConfigError ? error.problems : [(error as Error).message]
  for (const line of lines) process.stderr.write(`${line}\n`)
  process.exit(1)
}

/**
 * A start reads and compiles far more than it leaves in use: 135 MB are in use afterwards, and some 40 more without this,
 * which takes some 110 ms (measured). That makes room for the semi-spaces of 32 MB of `npm start`, where requests and
 * deliveries come and go: with 8 MB, collecting them was a tenth of the processor's time of a delivery. Does nothing
 * without `--expose-gc`.
 */
const giveBackMemory = () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })

let signalledAt: number | undefined
let starting: Promise<{ lines: string[]; stop(): Promise<void> }> | undefined

async function stop() {
  const now = performance.now()
  if (signalledAt !== undefined) {
    if (now - signalledAt > sameSignalMs) process.exit(1)
    return
  }
  signalledAt = now
  say('Stopping…')
  const started = await starting?.catch(() => undefined)
  await started?.stop()
  process.exit(0)
}

process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// The terminal was closed.
process.on('SIGHUP', stop)
// Whoever read the output is gone; that ends nothing.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  starting = start(readConfig(), say)
  const { lines } = await starting
  setTimeout(giveBackMemory, giveBackAfterMs).unref()
  if (signalledAt === undefined) for (const line of [...lines, 'Ready. Stop with Ctrl-C.']) say(line)
} catch (error) {
  // Ctrl-C reaches the programs that a first start runs, too: that they ended is no failure then.
  if (signalledAt === undefined) fail(error)
}
