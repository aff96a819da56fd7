import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
// @ts-expect-error Plain JavaScript, for Node 20.
import { whatToInstallIn } from '../../../scripts/what-to-install.mjs'
import { type Life, type Program, processesOn, repository, run, temporaryFolder } from './program.ts'
import { createClient, type Organization } from './signet.ts'

export const node = [process.execPath, 'server/src/main.ts']
export const npm = ['npm', 'start']
export const nobody = 65_534
export const asNobody = ['setpriv', '--reuid', `${nobody}`, '--regid', `${nobody}`, '--clear-groups', '--', ...node]
/** In a clone under somebody's private folder there is nothing that another user could run. */
const othersMayPass = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (dirname(path) === path || othersMayPass(dirname(path)))
export const maySwitchUser = process.getuid?.() === 0 && othersMayPass(repository)
/** A stop gives its work six seconds; the rest is for a busy machine. */
const stopsWithinMs = 10_000
export const patience = { timeout: 30_000, interval: 10 }

type Launch = { folder?: string; command?: string[]; env?: Record<string, string> }

/** A data folder with its embedded PostgreSQL, on which Signet is started and stopped as at a terminal. */
export type DataFolder = Awaited<ReturnType<typeof makeDataFolder>>

/** Made by `npm start`, which was stopped again. */
export async function makeDataFolder(life: Life) {
  // `npm start` would install under the tests that run beside this one.
  if (whatToInstallIn(repository, { needsTools: false }))
    throw new Error('node_modules is out of date: run npm ci first')
  const path = join(temporaryFolder(life), 'blanks and ünïcödé ☃')
  const port = await freePort()

  const launch = (life: Life, { folder = path, command = node, env = {} }: Launch = {}): Program =>
    run(life, command, { SIGNET_DATA_DIR: folder, PORT: `${port}`, SIGNET_LOG_LEVEL: 'silent', ...env })
  const statusOf = async (path: string) => (await fetch(`http://localhost:${port}${path}`)).status
  const health = async () => [await statusOf('/livez'), await statusOf('/readyz')]
  const as = createClient(`http://localhost:${port}`, '').as
  /** What a listing of groups answers to its key. */
  const statusWith = async (organization: Organization): Promise<number> =>
    (await as(organization, 'GET', '/groups')).status
  const postmaster = () => Number.parseInt(readFileSync(join(path, 'postgres/data/postmaster.pid'), 'utf8'), 10)

  /** Waits until it is ready. */
  async function start(life: Life, options: Launch = {}): Promise<Program> {
    const signet = launch(life, options)
    await signet.says(/^Ready\. Stop with Ctrl-C\.$/m)
    return signet
  }

  async function expectGracefulStop(
    signet: Program,
    { folder = path, end = () => process.kill(signet.pid, 'SIGTERM') }: { folder?: string; end?: () => unknown } = {},
  ) {
    const before = performance.now()
    end()
    expect(await signet.ended).toBe(0)
    expect(performance.now() - before).toBeLessThan(stopsWithinMs)
    expect(signet.output().match(/Stopping/g)).toHaveLength(1)
    expect(processesOn(folder)).toEqual([])
    expect(existsSync(join(folder, 'service-url'))).toBe(false)
  }

  async function expectRefusal(signet: Program, line: string | RegExp, folder = path) {
    const others = processesOn(folder)
    expect(await signet.ended).toBe(1)
    const said = signet.output().trimEnd()
    if (typeof line === 'string') expect(said).toBe(line)
    else expect(said).toMatch(line)
    // Of a PostgreSQL that runs on it, a process just forked still has the command line of the postmaster.
    const left = () => processesOn(folder).filter((pid) => !others.includes(pid))
    await expect.poll(left, patience).toEqual([])
  }

  function copy(life: Life, name = 'copy'): string {
    const folder = join(temporaryFolder(life), name)
    mkdirSync(dirname(folder), { recursive: true })
    execFileSync('cp', ['-a', path, folder])
    return folder
  }

  const first = await start(life, { command: npm })
  const output = first.output()
  const organization: Organization = { id: organizationIn(output), apiKey: /^API key: (\S+)$/m.exec(output)?.[1] ?? '' }
  expect(await statusWith(organization)).toBe(200)
  await expectGracefulStop(first)
  return {
    /** What that first start said. */
    output,
    organization,
    path,
    port,
    as,
    launch,
    start,
    statusOf,
    health,
    statusWith,
    postmaster,
    copy,
    expectGracefulStop,
    expectRefusal,
  }
}

export const organizationIn = (said: string) => /^Organization ID: ([0-9a-f-]{36})$/m.exec(said)?.[1] ?? ''
