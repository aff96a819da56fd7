import { chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import { freePort } from '../../../../scripts/free-port.ts'
import { makeMasterKey } from '../../../src/ground/keys/index.ts'
import {
  asNobody,
  type DataFolder,
  makeDataFolder,
  maySwitchUser,
  nobody,
  node,
  npm,
  organizationIn,
  patience,
} from '../../support/data-folder.ts'
import { lifeOfFile } from '../../support/life.ts'
import { killAllOn, type Program, processesOn, temporaryFolder } from '../../support/program.ts'

/** Everything here starts programs, which takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let dataFolder: DataFolder
const wholeFile = lifeOfFile()

beforeAll(async () => {
  dataFolder = await makeDataFolder(wholeFile)
})

describe('A first start', () => {
  test('A first start that was cut short again and again is completed by the next one', async (context) => {
    const folder = join(temporaryFolder(context), 'data')
    for (const made of ['postgres', 'postgres/data/postmaster.pid']) {
      const interrupted = dataFolder.launch(context, { folder })
      await vi.waitFor(() => expect(existsSync(join(folder, made))).toBe(true), { ...patience, interval: 1 })
      process.kill(-interrupted.pid, 'SIGINT')
      expect([0, 'SIGINT']).toContain(await interrupted.ended)
      expect(interrupted.output()).not.toMatch(/failed|error|not made/i)
      expect(processesOn(folder)).toEqual([])
    }
    const keyIsMade = () => expect(existsSync(join(folder, 'first-api-key'))).toBe(true)
    const killed = dataFolder.launch(context, { folder })
    await vi.waitFor(keyIsMade, { ...patience, interval: 1 })
    await killHard(killed)
    const whole = await dataFolder.start(context, { folder })
    const apiKey = readFileSync(join(folder, 'first-api-key'), 'utf8').trim()
    expect(await dataFolder.statusWith({ id: organizationIn(whole.output()), apiKey })).toBe(200)
  })

  test.runIf(maySwitchUser)('The first start works for an ordinary user', async (context) => {
    const folder = temporaryFolder(context)
    chownSync(folder, nobody, nobody)
    const signet = await dataFolder.start(context, { folder, command: asNobody })
    expect(new Set(readdirSync(folder).map((name) => statSync(join(folder, name)).uid))).toEqual(new Set([nobody]))
    await dataFolder.expectGracefulStop(signet, { folder })
  })
})

describe('A stop', () => {
  afterEach(() => killAllOn(dataFolder.path))

  const signals = ['SIGTERM', 'SIGINT'] as const
  const targets = ['the process', 'npm', 'the group of npm'] as const
  const cases = signals.flatMap((signal) => targets.map((target) => ({ signal, target })))

  test.for(cases)(
    'A stop by $signal to $target is graceful and leaves nothing behind',
    async ({ signal, target }, context) => {
      const signet = await dataFolder.start(context, { command: target === 'the process' ? node : npm })
      const pid = target === 'the group of npm' ? -signet.pid : signet.pid
      await dataFolder.expectGracefulStop(signet, { end: () => process.kill(pid, signal) })
    },
  )

  test('A stop answers the request in progress, takes no other, and waits for nothing more', async (context) => {
    const signet = await dataFolder.start(context)
    const { request, letGo } = await holdRequest(context)
    process.kill(signet.pid, 'SIGTERM')
    await vi.waitFor(() => expect(dataFolder.health()).rejects.toThrow(), patience)
    await letGo()
    const before = performance.now()
    expect(await request).toBe(201)
    expect(await signet.ended).toBe(0)
    // Requests that do not end are given three seconds.
    expect(performance.now() - before).toBeLessThan(2_500)
  })

  test('A stop waits a bounded time for a request in progress', async (context) => {
    const signet = await dataFolder.start(context)
    const { request } = await holdRequest(context)
    await Promise.all([expect(request).rejects.toThrow(), dataFolder.expectGracefulStop(signet)])
  })

  test('A stop is forced by a second signal, unless that is the first one passed on', async (context) => {
    const signet = await dataFolder.start(context)
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
  afterEach(() => killAllOn(dataFolder.path))

  test('A start after a kill of Signet takes over the PostgreSQL that is left', async (context) => {
    const signet = await dataFolder.start(context)
    const left = dataFolder.postmaster()
    await killHard(signet)
    expect(processesOn(dataFolder.path)).toContain(left)
    await expectWholeAfterwards(context, () => expect(dataFolder.postmaster()).toBe(left))
  })

  test('A start after a kill of Signet and PostgreSQL recovers', async (context) => {
    const signet = await dataFolder.start(context)
    process.kill(dataFolder.postmaster(), 'SIGKILL')
    await killHard(signet)
    await expectWholeAfterwards(context)
  })
})

describe('Accepted starts', () => {
  afterEach(() => killAllOn(dataFolder.path))

  test('A start with another SIGNET_BASE_URL is accepted once that URL is confirmed, from then on', async (context) => {
    const folder = dataFolder.copy(context)
    const changed = 'https://id.example.com'
    const accepted = { SIGNET_BASE_URL: changed, SIGNET_ACCEPT_BASE_URL: changed }
    const accepting = await dataFolder.start(context, { folder, env: accepted })
    expect(accepting.output()).toContain(
      `Warning: SIGNET_BASE_URL: was http://localhost:${dataFolder.port} and is now ${changed};`,
    )
    expect(accepting.output()).toContain(`\nBase URL: ${changed}\n`)
    await dataFolder.expectGracefulStop(accepting, { folder })
    const next = await dataFolder.start(context, { folder, env: { SIGNET_BASE_URL: changed } })
    expect(next.output()).not.toContain('Warning')
  })

  test('A start with another PORT is accepted, with a warning, where the base URL is left to its default; in a folder with a long path', async (context) => {
    const folder = dataFolder.copy(context, `${'long'.repeat(50)}/${'longer'.repeat(40)}`)
    const other = await freePort()
    const signet = await dataFolder.start(context, { folder, env: { PORT: `${other}` } })
    const change = `was http://localhost:${dataFolder.port} and is now http://localhost:${other}`
    expect(signet.output()).toContain(`Warning: SIGNET_BASE_URL: ${change}; `)
    await dataFolder.expectGracefulStop(signet, { folder })
  })

  test('A start with a list of keys as SIGNET_MASTER_KEY is accepted when one of them fits', async (context) => {
    const old = readFileSync(join(dataFolder.path, 'master-key'), 'utf8').trim()
    const signet = await dataFolder.start(context, { env: { SIGNET_MASTER_KEY: `${makeMasterKey()},${old}` } })
    expect(await dataFolder.statusWith(dataFolder.organization)).toBe(200)
    await dataFolder.expectGracefulStop(signet)
  })
})

const statusOfProcess = (program: Program) => Promise.race([program.ended, wait(0, 'running')])

async function killHard(signet: Program) {
  process.kill(signet.pid, 'SIGKILL')
  expect(await signet.ended).toBe('SIGKILL')
}

/** What was made before is there, and a stop leaves nothing. */
async function expectWholeAfterwards(context: TestContext, check = () => {}) {
  const signet = await dataFolder.start(context)
  check()
  expect(await dataFolder.statusWith(dataFolder.organization)).toBe(200)
  await dataFolder.expectGracefulStop(signet)
}

/** A creation of a group that waits for a lock, and what lets it go on. */
async function holdRequest(context: TestContext) {
  const host = join(dataFolder.path, 'postgres/run')
  const client = new pg.Client({ host, port: 5432, user: 'signet', database: 'signet' })
  client.on('error', () => {})
  context.onTestFinished(() => client.end())
  await client.connect()
  await client.query('begin; lock table groups')
  const request = dataFolder
    .as(dataFolder.organization, 'POST', '/groups', { name: 'held' })
    .then((answer) => answer.status)
  const waiting = 'select from pg_locks where not granted'
  await vi.waitFor(async () => expect((await client.query(waiting)).rowCount).toBe(1), patience)
  return { request, letGo: () => client.end() }
}
