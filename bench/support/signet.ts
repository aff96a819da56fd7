import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** What stands behind `exec node`. */
const startArguments: string[] = scripts.start.replace(/^.*exec node /, '').split(' ')
const readyWithinMs = 30_000
const readyPollMs = 20

export type Signet = {
  pid: number
  port: number
  /** Milliseconds from the start of the process until `/readyz` said so. */
  readyMs: number
  /** What it printed. */
  output: string
  stop(): Promise<void>
}

/** A folder that `cleanup` removes. Not below /tmp, which may be memory, where writing through to the disk costs nothing. */
export function makeFolder(cleanup: AsyncDisposableStack): string {
  const folder = mkdtempSync('/var/tmp/signet-bench-')
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Cleaned up at the end, also when it fails or is interrupted, which ends the process. Ctrl-C may come twice: from the
 * terminal, and passed on by npm.
 */
export async function withCleanup(work: (cleanup: AsyncDisposableStack) => Promise<void>) {
  const cleanup = new AsyncDisposableStack()
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => reject(new Error('interrupted')))
    // Of what runs beside `work`: Signet would be left behind.
    for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, reject)
  })
  const failed = (error: Error) => error
  const failures = [
    await Promise.race([work(cleanup), interrupted]).catch(failed),
    await cleanup.disposeAsync().then(() => undefined, failed),
  ].filter((failure) => failure !== undefined)
  for (const failure of failures) console.error(failure)
  process.exit(failures.length > 0 ? 1 : 0)
}

type Settings = Record<string, string>

/** `npm start` with the embedded PostgreSQL in that folder, as it comes: no setting but the port, unless some are given. */
export async function startSignet(
  folder: string,
  cleanup: AsyncDisposableStack,
  settings: Settings = {},
): Promise<Signet> {
  const port = await freePort()
  if (cleanup.disposed) throw new Error('nothing is started any more')
  const began = performance.now()
  const env = { PATH: process.env.PATH, PORT: `${port}`, SIGNET_DATA_DIR: join(folder, 'data'), ...settings }
  const child = spawn(process.execPath, startArguments, {
    cwd: root,
    // Its own, so that a first start compiles everything, and the second does not.
    env: { ...env, NODE_COMPILE_CACHE: join(folder, 'compile-cache') },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  cleanup.defer(stop)
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += text
    if (/^Ready/m.test(output)) break
  }
  child.stdout.resume()
  await untilReady(port, output)
  return { pid: child.pid ?? 0, port, readyMs: performance.now() - began, output, stop }
}

/** On a busy machine the first check of the database may take longer than it is given. */
async function untilReady(port: number, output: string) {
  const deadline = performance.now() + readyWithinMs
  for (;;) {
    const { ok } = await fetch(`http://localhost:${port}/readyz`)
    if (ok) return
    if (performance.now() > deadline) throw new Error(`Signet is not ready:\n${output}`)
    await sleep(readyPollMs)
  }
}

/** Of every Signet on a database of the benchmarks. */
export const operatorKey = 'operator-key-of-the-benchmarks'
const masterKey = Buffer.alloc(32, 'bench').toString('base64')

/** What Signet must be told to run on a database that is there, and to publish test events without end. */
export const settingsOn = (databaseUrl: string): Settings => ({
  DATABASE_URL: databaseUrl,
  SIGNET_BASE_URL: 'http://localhost:8080',
  SIGNET_OPERATOR_KEY: operatorKey,
  SIGNET_MASTER_KEY: masterKey,
  SIGNET_RATE_TEST_EVENTS: '999999/999999',
})
