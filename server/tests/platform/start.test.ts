import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
// @ts-expect-error Plain JavaScript, for Node 20.
import { whatToInstallIn } from '../../../scripts/what-to-install.mjs'
import { makeMasterKey } from '../../src/keys/index.ts'
import {
  killAllOn,
  type Life,
  type Program,
  processesOn,
  repository,
  run,
  temporaryFolder,
} from '../support/program.ts'
import { createClient } from '../support/signet.ts'

/** Everything here starts programs, which takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const node = [process.execPath, 'server/src/main.ts']
const npm = ['npm', 'start']
const asRoot = process.getuid?.() === 0
const nobody = 65_534
/** In a clone under somebody's private folder there is nothing that another user could run. */
const othersMayPass = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (dirname(path) === path || othersMayPass(dirname(path)))
const maySwitchUser = asRoot && othersMayPass(repository)
const asNobody = ['setpriv', '--reuid', `${nobody}`, '--regid', `${nobody}`, '--clear-groups', '--', ...node]
/** A stop gives its work six seconds; the rest is for a busy machine. */
const stopsWithinMs = 10_000
const patience = { timeout: 30_000, interval: 10 }

/** What all tests share: the data folder of the very first start, and how that start went. */
let dataDir: string
let port: number
let output: string
let key: Key
const cleanings: (() => void)[] = []
const wholeFile: Life = { onTestFinished: (clean) => void cleanings.unshift(clean) }

beforeAll(async () => {
  // `npm start` would install under the tests that run beside this one.
  if (whatToInstallIn(repository, { needsTools: false }))
    throw new Error('node_modules is out of date: run npm ci first')
  dataDir = join(temporaryFolder(wholeFile), 'blanks and ünïcödé ☃')
  port = await freePort()
  const signet = await start(wholeFile, { command: npm })
  output = signet.output()
  key = { id: organizationIn(output), apiKey: /^API key: (\S+)$/m.exec(output)?.[1] ?? '' }
  expect(await statusWith(key)).toBe(200)
  await expectGracefulStop(signet)
})

afterAll(() => {
  for (const clean of cleanings) clean()
})

describe('The very first start', () => {
  test('The first start prints address, reference page, organization and key, and no warning', () => {
    const base = `http://localhost:${port}`
    expect(output.replace(`Console: ${base}/console\n`, '')).toContain(
      `\nBase URL: ${base}\nReference: ${base}/docs\nOrganization ID: ${key.id}\nAPI key: signet_`,
    )
    expect(output).not.toContain('Warning')
  })

  test('The first start makes its key and secrets readable by the owner alone', () => {
    expect(readFileSync(join(dataDir, 'first-api-key'), 'utf8')).toBe(`${key.apiKey}\n`)
    for (const name of ['first-api-key', 'operator-key', 'master-key'])
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
  })

  test('A first start that was cut short again and again is completed by the next one', async (context) => {
    const folder = join(temporaryFolder(context), 'data')
    for (const made of ['postgres', 'postgres/data/postmaster.pid']) {
      const interrupted = launch(context, { folder })
      await vi.waitFor(() => expect(existsSync(join(folder, made))).toBe(true), { ...patience, interval: 1 })
      process.kill(-interrupted.pid, 'SIGINT')
      expect([0, 'SIGINT']).toContain(await interrupted.ended)
      expect(interrupted.output()).not.toMatch(/failed|error|not made/i)
      expect(processesOn(folder)).toEqual([])
    }
    const keyIsMade = () => expect(existsSync(join(folder, 'first-api-key'))).toBe(true)
    const killed = launch(context, { folder })
    await vi.waitFor(keyIsMade, { ...patience, interval: 1 })
    await killHard(killed)
    const whole = await start(context, { folder })
    const apiKey = readFileSync(join(folder, 'first-api-key'), 'utf8').trim()
    expect(await statusWith({ id: organizationIn(whole.output()), apiKey })).toBe(200)
  })

  test.runIf(maySwitchUser)('The first start works for an ordinary user', async (context) => {
    const folder = temporaryFolder(context)
    chownSync(folder, nobody, nobody)
    const signet = await start(context, { folder, command: asNobody })
    expect(new Set(readdirSync(folder).map((name) => statSync(join(folder, name)).uid))).toEqual(new Set([nobody]))
    await expectGracefulStop(signet, folder)
  })
})

describe('A running service', () => {
  let signet: Program
  let metricsPort: number

  beforeAll(async () => {
    metricsPort = await freePort()
    signet = await start(wholeFile, { env: { SIGNET_METRICS_PORT: `${metricsPort}` } })
  })

  afterAll(() => expectGracefulStop(signet))

  test('A later start has the same organization, and the key works but is not shown again', async () => {
    expect(organizationIn(signet.output())).toBe(key.id)
    expect(signet.output()).toContain(`API key: kept in ${join(dataDir, 'first-api-key')}\n`)
    expect(signet.output()).not.toContain(key.apiKey)
    expect(await statusWith(key)).toBe(200)
  })

  test('A second start on the same data folder is refused in one line, and the first goes on', async (context) => {
    const second = launch(context, { env: { PORT: `${await freePort()}` } })
    await expectRefusal(second, `${dataDir}: another Signet process runs on this data folder`)
    expect(await health()).toEqual([200, 200])
  })

  test('Metrics are served on a port of their own', async () => {
    // A request of its own to count.
    await health()
    const metrics = await fetch(`http://localhost:${metricsPort}/metrics`)
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const text = await metrics.text()
    for (const name of ['delivery_attempt_duration_seconds', 'deliveries_total', 'hook_call_duration_seconds'])
      expect(text).toContain(`# TYPE signet_${name} `)
    expect(text).toMatch(/^signet_deliveries_unfinished 0$/m)
    for (const state of ['in_use', 'idle', 'waiting'])
      expect(text).toMatch(new RegExp(`^signet_database_pool_connections{pool="requests",state="${state}"} \\d+$`, 'm'))
    const textNow = async () => (await fetch(`http://localhost:${metricsPort}/metrics`)).text()
    await expect.poll(textNow).toMatch(/^signet_http_request_duration_seconds_count\{.*route="\/readyz".*\} \d+$/m)
    await expect.poll(textNow, { timeout: 10_000 }).toMatch(/^signet_sender_busy_seconds_total \d+\.\d+$/m)
    for (const receivers of ['healthy', 'degraded', 'failing'])
      expect(text).toContain(`signet_delivery_wait_seconds{receivers="${receivers}"} 0\n`)
    expect(await statusOf('/metrics')).toBe(404)
  })

  test('The service is not ready while PostgreSQL is frozen, and recovers by itself', async (context) => {
    const frozen = processesOfPostgres()
    const send = (signal: NodeJS.Signals) => {
      for (const pid of frozen) process.kill(pid, signal)
    }
    context.onTestFinished(() => send('SIGCONT'))
    send('SIGSTOP')
    await vi.waitFor(async () => expect(await health()).toEqual([200, 503]), patience)
    send('SIGCONT')
    await vi.waitFor(async () => expect(await health()).toEqual([200, 200]), patience)
  })

  test('The service restarts a PostgreSQL that was killed, and reports it', async () => {
    process.kill(postmaster(), 'SIGKILL')
    await vi.waitFor(async () => expect(await health()).toEqual([200, 503]), patience)
    await signet.says(/^embedded PostgreSQL: ended by itself .*\n(.*\n)*embedded PostgreSQL: running again$/m)
    await vi.waitFor(async () => expect(await health()).toEqual([200, 200]), patience)
    expect(await statusWith(key)).toBe(200)
  })
})

describe('A stop', () => {
  afterEach(() => killAllOn(dataDir))

  const signals = ['SIGTERM', 'SIGINT'] as const
  const targets = ['the process', 'npm', 'the group of npm'] as const
  const cases = signals.flatMap((signal) => targets.map((target) => ({ signal, target })))

  test.for(cases)(
    'A stop by $signal to $target is graceful and leaves nothing behind',
    async ({ signal, target }, context) => {
      const signet = await start(context, { command: target === 'the process' ? node : npm })
      const pid = target === 'the group of npm' ? -signet.pid : signet.pid
      await expectGracefulStop(signet, dataDir, () => process.kill(pid, signal))
    },
  )

  test('A stop answers the request in progress, takes no other, and waits for nothing more', async (context) => {
    const signet = await start(context)
    const { request, letGo } = await holdRequest(context)
    process.kill(signet.pid, 'SIGTERM')
    await vi.waitFor(() => expect(health()).rejects.toThrow(), patience)
    await letGo()
    const before = performance.now()
    expect(await request).toBe(201)
    expect(await signet.ended).toBe(0)
    // Requests that do not end are given three seconds.
    expect(performance.now() - before).toBeLessThan(2_500)
  })

  test('A stop waits a bounded time for a request in progress', async (context) => {
    const signet = await start(context)
    const { request } = await holdRequest(context)
    await Promise.all([expect(request).rejects.toThrow(), expectGracefulStop(signet)])
  })

  test('A stop is forced by a second signal, unless that is the first one passed on', async (context) => {
    const signet = await start(context)
    const { request, letGo } = await holdRequest(context)
    request.catch(() => {})
    process.kill(signet.pid, 'SIGINT')
    process.kill(signet.pid, 'SIGTERM')
    // npm passes a signal on within a second, by the clock of the process.
    await wait(1_100)
    expect(await statusOfProcess(signet)).toBe('running')
    process.kill(signet.pid, 'SIGINT')
    expect(await signet.ended).toBe(1)
    await letGo()
    await expectWholeAfterwards(context)
  })
})

describe('A start after kill -9', () => {
  afterEach(() => killAllOn(dataDir))

  test('A start after a kill of Signet takes over the PostgreSQL that is left', async (context) => {
    const signet = await start(context)
    const left = postmaster()
    await killHard(signet)
    expect(processesOn(dataDir)).toContain(left)
    await expectWholeAfterwards(context, () => expect(postmaster()).toBe(left))
  })

  test('A start after a kill of Signet and PostgreSQL recovers', async (context) => {
    const signet = await start(context)
    process.kill(postmaster(), 'SIGKILL')
    await killHard(signet)
    await expectWholeAfterwards(context)
  })
})

describe('Refused starts', () => {
  afterEach(() => killAllOn(dataDir))

  test.for(['PORT', 'SIGNET_METRICS_PORT'])(
    'A start with a %s that is taken is refused in one line, and leaves nothing running',
    async (name, context) => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      context.onTestFinished(() => void other.close())
      const { port: taken } = other.address() as { port: number }
      const signet = launch(context, { env: { [name]: `${taken}` } })
      const line = `${name}: ${taken} on 127.0.0.1 is taken by another program; set ${name} to a free one`
      await expectRefusal(signet, new RegExp(`^(Warning: .*\\n)?${line}$`))
    },
  )

  test('A start with a HOST that is not of this machine is refused in one line, and leaves nothing running', async (context) => {
    const signet = launch(context, { env: { HOST: '192.0.2.1' } })
    await expectRefusal(signet, 'HOST: 192.0.2.1 is no address of this machine')
  })

  test('A start with a file as data folder is refused in one line, and leaves nothing running', async (context) => {
    const folder = join(temporaryFolder(context), 'file')
    writeFileSync(folder, '')
    const signet = launch(context, { folder })
    await expectRefusal(signet, `SIGNET_DATA_DIR: ${folder} is no folder to write to (EEXIST)`, folder)
  })

  test.runIf(maySwitchUser)(
    'A start on the data folder of another user is refused in one line, and leaves nothing running',
    async (context) => {
      const signet = launch(context, { command: asNobody })
      await expectRefusal(signet, `SIGNET_DATA_DIR: ${dataDir} is no folder to write to (EACCES)`)
    },
  )

  test('A start with a SIGNET_MASTER_KEY that does not fit is refused in one line, and leaves nothing running', async (context) => {
    const signet = launch(context, { env: { SIGNET_MASTER_KEY: makeMasterKey() } })
    const line = 'SIGNET_MASTER_KEY: none of its keys fits this database, whose secrets could not be read'
    await expectRefusal(signet, line)
  })

  test('A start with another SIGNET_BASE_URL is refused, with what would break, and leaves nothing running', async (context) => {
    const changed = 'https://id.example.com'
    const signet = launch(context, { env: { SIGNET_BASE_URL: changed } })
    const was = `^SIGNET_BASE_URL: was http://localhost:${port} and is now ${changed}; `
    const breaks = '.*receivers refuse the webhooks, applications refuse the tokens, .* the sign-ins.*'
    await expectRefusal(signet, new RegExp(`${was}${breaks}set SIGNET_ACCEPT_BASE_URL=${changed}$`))
  })
})

describe('Accepted starts', () => {
  afterEach(() => killAllOn(dataDir))

  test('A start with another SIGNET_BASE_URL is accepted once that URL is confirmed, from then on', async (context) => {
    const folder = copyOfDataDir(context)
    const changed = 'https://id.example.com'
    const accepted = { SIGNET_BASE_URL: changed, SIGNET_ACCEPT_BASE_URL: changed }
    const accepting = await start(context, { folder, env: accepted })
    expect(accepting.output()).toContain(
      `Warning: SIGNET_BASE_URL: was http://localhost:${port} and is now ${changed};`,
    )
    expect(accepting.output()).toContain(`\nBase URL: ${changed}\n`)
    await expectGracefulStop(accepting, folder)
    const next = await start(context, { folder, env: { SIGNET_BASE_URL: changed } })
    expect(next.output()).not.toContain('Warning')
  })

  test('A start with another PORT is accepted, with a warning, where the base URL is left to its default; in a folder with a long path', async (context) => {
    const folder = copyOfDataDir(context, `${'long'.repeat(50)}/${'longer'.repeat(40)}`)
    const other = await freePort()
    const signet = await start(context, { folder, env: { PORT: `${other}` } })
    const change = `was http://localhost:${port} and is now http://localhost:${other}`
    expect(signet.output()).toContain(`Warning: SIGNET_BASE_URL: ${change}; `)
    await expectGracefulStop(signet, folder)
  })

  test('A start whose master key is missing beside the database is refused in one line, and makes none', async (context) => {
    const folder = copyOfDataDir(context, 'without-key')
    rmSync(join(folder, 'master-key'))
    const signet = launch(context, { folder })
    expect(await signet.ended).toBe(1)
    expect(signet.output()).toBe(
      `${join(folder, 'master-key')}: is missing; put back the one that was made with this database\n`,
    )
    expect(existsSync(join(folder, 'master-key'))).toBe(false)
  })

  test('A start with a list of keys as SIGNET_MASTER_KEY is accepted when one of them fits', async (context) => {
    const old = readFileSync(join(dataDir, 'master-key'), 'utf8').trim()
    const signet = await start(context, { env: { SIGNET_MASTER_KEY: `${makeMasterKey()},${old}` } })
    expect(await statusWith(key)).toBe(200)
    await expectGracefulStop(signet)
  })
})

type Key = { id: string; apiKey: string }
type Launch = { folder?: string; command?: string[]; env?: Record<string, string> }

const launch = (life: Life, { folder = dataDir, command = node, env = {} }: Launch = {}): Program =>
  run(life, command, { SIGNET_DATA_DIR: folder, PORT: `${port}`, SIGNET_LOG_LEVEL: 'silent', ...env })

/** Waits until it is ready. */
async function start(life: Life, options: Launch = {}): Promise<Program> {
  const signet = launch(life, options)
  await signet.says(/^Ready\. Stop with Ctrl-C\.$/m)
  return signet
}

async function killHard(signet: Program) {
  process.kill(signet.pid, 'SIGKILL')
  expect(await signet.ended).toBe('SIGKILL')
}

async function expectGracefulStop(
  signet: Program,
  folder = dataDir,
  signal = () => process.kill(signet.pid, 'SIGTERM'),
) {
  const before = performance.now()
  signal()
  expect(await signet.ended).toBe(0)
  expect(performance.now() - before).toBeLessThan(stopsWithinMs)
  expect(signet.output().match(/Stopping/g)).toHaveLength(1)
  expect(processesOn(folder)).toEqual([])
  expect(existsSync(join(folder, 'service-url'))).toBe(false)
}

async function expectRefusal(signet: Program, line: string | RegExp, folder = dataDir) {
  const others = processesOn(folder)
  expect(await signet.ended).toBe(1)
  const said = signet.output().trimEnd()
  if (typeof line === 'string') expect(said).toBe(line)
  else expect(said).toMatch(line)
  // Of a PostgreSQL that runs on it, a process just forked still has the command line of the postmaster.
  const left = () => processesOn(folder).filter((pid) => !others.includes(pid))
  await expect.poll(left, patience).toEqual([])
}

/** What was made before is there, and a stop leaves nothing. */
async function expectWholeAfterwards(context: TestContext, check = () => {}) {
  const signet = await start(context)
  check()
  expect(await statusWith(key)).toBe(200)
  await expectGracefulStop(signet)
}

function copyOfDataDir(context: TestContext, name = 'copy'): string {
  const folder = join(temporaryFolder(context), name)
  mkdirSync(dirname(folder), { recursive: true })
  execFileSync('cp', ['-a', dataDir, folder])
  return folder
}

/** A creation of a group that waits for a lock, and what lets it go on. */
async function holdRequest(context: TestContext) {
  const host = join(dataDir, 'postgres/run')
  const client = new pg.Client({ host, port: 5432, user: 'signet', database: 'signet' })
  client.on('error', () => {})
  context.onTestFinished(() => client.end())
  await client.connect()
  await client.query('begin; lock table groups')
  const request = createClient(`http://localhost:${port}`, '')
    .as(key, 'POST', '/groups', { name: 'held' })
    .then((answer) => answer.status)
  const waiting = 'select from pg_locks where not granted'
  await vi.waitFor(async () => expect((await client.query(waiting)).rowCount).toBe(1), patience)
  return { request, letGo: () => client.end() }
}

const postmaster = () => Number.parseInt(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10)

/** The postmaster and its children, whose command lines do not name the folder. */
function processesOfPostgres(): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  return [postmaster(), ...processes.filter(([, parent]) => parent === postmaster()).map(([pid]) => pid)]
}

const statusOfProcess = (program: Program) => Promise.race([program.ended, wait(0, 'running')])

const organizationIn = (said: string) => /^Organization ID: ([0-9a-f-]{36})$/m.exec(said)?.[1] ?? ''

const statusOf = async (path: string) => (await fetch(`http://localhost:${port}${path}`)).status
const health = async () => [await statusOf('/livez'), await statusOf('/readyz')]

/** What a listing of groups answers to that key. */
async function statusWith(key: Key): Promise<number> {
  return (await createClient(`http://localhost:${port}`, '').as(key, 'GET', '/groups')).status
}
