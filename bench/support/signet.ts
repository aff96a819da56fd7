import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const main = join(import.meta.dirname, '../../server/src/main.ts')

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

/** Cleaned up at the end, and at Ctrl-C, which reaches this process alone: Signet has a process group of its own. */
export async function withCleanup(work: (cleanup: AsyncDisposableStack) => Promise<void>) {
  await using cleanup = new AsyncDisposableStack()
  const interrupted = once(process, 'SIGINT').then(() => Promise.reject(new Error('interrupted')))
  await Promise.race([work(cleanup), interrupted])
}

/** `npm start` with the embedded PostgreSQL in that folder, as it comes: no setting but the port. */
export async function startSignet(folder: string, cleanup: AsyncDisposableStack): Promise<Signet> {
  const port = await freePort()
  const began = performance.now()
  const env = { PATH: process.env.PATH, PORT: `${port}`, SIGNET_DATA_DIR: join(folder, 'data') }
  const child = spawn(process.execPath, ['--max-semi-space-size=8', main], {
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
  const { ok } = await fetch(`http://localhost:${port}/readyz`)
  if (!ok || child.pid === undefined) throw new Error(`Signet is not ready:\n${output}`)
  return { pid: child.pid, port, readyMs: performance.now() - began, output, stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
