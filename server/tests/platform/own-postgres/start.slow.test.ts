import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../scripts/free-port.ts'
import { makeMasterKey } from '../../../src/ground/keys/index.ts'
import {
  asNobody,
  type DataFolder,
  makeDataFolder,
  maySwitchUser,
  organizationIn,
  patience,
} from '../../support/data-folder.ts'
import { lifeOfFile } from '../../support/life.ts'
import { killAllOn, type Program, repository, temporaryFolder } from '../../support/program.ts'

/** Everything here starts programs, which takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let dataFolder: DataFolder
const wholeFile = lifeOfFile()

beforeAll(async () => {
  dataFolder = await makeDataFolder(wholeFile)
})

describe('The very first start', () => {
  test('The first start prints address, reference page, organization and key, and no warning', () => {
    const base = `http://localhost:${dataFolder.port}`
    // Neither need be built.
    expect(dataFolder.output.replace(/^(?:Console|Help): .*\n/gm, '')).toContain(
      `\nBase URL: ${base}\nReference: ${base}/docs\nOrganization ID: ${dataFolder.organization.id}\nAPI key: signet_`,
    )
    expect(dataFolder.output).not.toContain('Warning')
  })

  test('The first start makes its key and secrets readable by the owner alone', () => {
    expect(readFileSync(join(dataFolder.path, 'first-api-key'), 'utf8')).toBe(`${dataFolder.organization.apiKey}\n`)
    for (const name of ['first-api-key', 'operator-key', 'master-key'])
      expect(statSync(join(dataFolder.path, name)).mode & 0o777).toBe(0o600)
  })
})

describe('A running service', () => {
  let signet: Program
  let metricsPort: number

  beforeAll(async () => {
    metricsPort = await freePort()
    signet = await dataFolder.start(wholeFile, { env: { SIGNET_METRICS_PORT: `${metricsPort}` } })
  })

  afterAll(() => dataFolder.expectGracefulStop(signet))

  test('A later start has the same organization, and the key works but is not shown again', async () => {
    expect(organizationIn(signet.output())).toBe(dataFolder.organization.id)
    expect(signet.output()).toContain(`API key: kept in ${join(dataFolder.path, 'first-api-key')}\n`)
    expect(signet.output()).not.toContain(dataFolder.organization.apiKey)
    expect(await dataFolder.statusWith(dataFolder.organization)).toBe(200)
  })

  test('A second start on the same data folder is refused in one line, and the first goes on', async (context) => {
    const second = dataFolder.launch(context, { env: { PORT: `${await freePort()}` } })
    await dataFolder.expectRefusal(second, `${dataFolder.path}: another Signet process runs on this data folder`)
    expect(await dataFolder.health()).toEqual([200, 200])
  })

  test('Metrics are served on a port of their own', async () => {
    // A request of its own to count.
    await dataFolder.health()
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
    expect(await dataFolder.statusOf('/metrics')).toBe(404)
  })

  test('The service is not ready while PostgreSQL is frozen, and recovers by itself', async (context) => {
    const frozen = processesOfPostgres(dataFolder.postmaster())
    const send = (signal: NodeJS.Signals) => {
      for (const pid of frozen) process.kill(pid, signal)
    }
    context.onTestFinished(() => send('SIGCONT'))
    send('SIGSTOP')
    await vi.waitFor(async () => expect(await dataFolder.health()).toEqual([200, 503]), patience)
    send('SIGCONT')
    await vi.waitFor(async () => expect(await dataFolder.health()).toEqual([200, 200]), patience)
  })

  test('The service restarts a PostgreSQL that was killed, and reports it', async () => {
    process.kill(dataFolder.postmaster(), 'SIGKILL')
    await signet.says(/^embedded PostgreSQL: ended by itself .*\n(.*\n)*embedded PostgreSQL: running again$/m)
    await vi.waitFor(async () => expect(await dataFolder.health()).toEqual([200, 200]), patience)
    expect(await dataFolder.statusWith(dataFolder.organization)).toBe(200)
  })
})

describe('Refused starts', () => {
  afterEach(() => killAllOn(dataFolder.path))

  test.for(['PORT', 'SIGNET_METRICS_PORT'])(
    'A start with a %s that is taken is refused in one line, and leaves nothing running',
    async (name, context) => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      context.onTestFinished(() => void other.close())
      const { port: taken } = other.address() as { port: number }
      const signet = dataFolder.launch(context, { env: { [name]: `${taken}` } })
      const line = `${name}: ${taken} on 127.0.0.1 is taken by another program; set ${name} to a free one`
      await dataFolder.expectRefusal(signet, new RegExp(`^(Warning: .*\\n)?${line}$`))
    },
  )

  test('A start with a HOST that is not of this machine is refused in one line, and leaves nothing running', async (context) => {
    const signet = dataFolder.launch(context, { env: { HOST: '192.0.2.1' } })
    await dataFolder.expectRefusal(signet, 'HOST: 192.0.2.1 is no address of this machine')
  })

  test('A start with a file as data folder is refused in one line, and leaves nothing running', async (context) => {
    const folder = join(temporaryFolder(context), 'file')
    writeFileSync(folder, '')
    const signet = dataFolder.launch(context, { folder })
    await dataFolder.expectRefusal(signet, `SIGNET_DATA_DIR: ${folder} is no folder to write to (EEXIST)`, folder)
  })

  test.runIf(maySwitchUser)(
    'A start on the data folder of another user is refused in one line, and leaves nothing running',
    async (context) => {
      const signet = dataFolder.launch(context, { command: asNobody })
      await dataFolder.expectRefusal(signet, `SIGNET_DATA_DIR: ${dataFolder.path} is no folder to write to (EACCES)`)
    },
  )

  test('A start with a SIGNET_MASTER_KEY that does not fit is refused in one line, and leaves nothing running', async (context) => {
    const signet = dataFolder.launch(context, { env: { SIGNET_MASTER_KEY: makeMasterKey() } })
    const line = 'SIGNET_MASTER_KEY: none of its keys fits this database, whose secrets could not be read'
    await dataFolder.expectRefusal(signet, line)
  })

  test('A start whose master key is missing beside the database is refused in one line, and makes none', async (context) => {
    const folder = dataFolder.copy(context, 'without-key')
    const masterKey = join(folder, 'master-key')
    rmSync(masterKey)
    const signet = dataFolder.launch(context, { folder })
    const line = `${masterKey}: is missing; put back the one that was made with this database`
    await dataFolder.expectRefusal(signet, line, folder)
    expect(existsSync(masterKey)).toBe(false)
  })

  test('A start with another SIGNET_BASE_URL is refused, with what would break, and leaves nothing running', async (context) => {
    const changed = 'https://id.example.com'
    const signet = dataFolder.launch(context, { env: { SIGNET_BASE_URL: changed } })
    const was = `^SIGNET_BASE_URL: was http://localhost:${dataFolder.port} and is now ${changed}; `
    const breaks = '.*receivers refuse the webhooks, applications refuse the tokens, .* the sign-ins.*'
    await dataFolder.expectRefusal(signet, new RegExp(`${was}${breaks}set SIGNET_ACCEPT_BASE_URL=${changed}$`))
  })
})

describe('Files for a shell', () => {
  const inShell = (folder: string, commands: string) =>
    execFileSync('sh', ['-c', `. ./environment\n${commands}`], { cwd: folder, encoding: 'utf8' })
  const statusInShell = (folder: string) =>
    inShell(folder, 'curl -s -o /dev/null -w "%{http_code}" -H @headers $SIGNET_URL/persons')

  test('A start leaves files for a shell that the owner alone reads, current after a start on another port', async (context) => {
    const folder = dataFolder.copy(context, "a folder with a 'quote'")
    const port = await freePort()
    const signet = await dataFolder.start(context, { folder, env: { PORT: `${port}` } })
    expect(inShell(folder, 'echo $SIGNET_URL $SIGNET_ORGANIZATION_ID $SIGNET_API_KEY')).toBe(
      `http://localhost:${port} ${dataFolder.organization.id} ${dataFolder.organization.apiKey}\n`,
    )
    expect(statusInShell(folder)).toBe('200')
    for (const name of ['environment', 'headers']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    await dataFolder.expectGracefulStop(signet, { folder })
    expect(existsSync(join(folder, 'headers'))).toBe(true)
  })

  test('Git does not see a data folder in a clone, whatever its name', (context) => {
    const clone = temporaryFolder(context)
    execFileSync('git', ['init', '-q', clone])
    execFileSync('cp', ['-a', dataFolder.path, join(clone, 'elsewhere')])
    expect(execFileSync('git', ['-C', clone, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('')
  })

  test('After the first key was revoked a start says so, and another key in its file renews the files', async (context) => {
    const folder = dataFolder.copy(context, 'revoked')
    const signet = await dataFolder.start(context, { folder })
    const { organization, as } = dataFolder
    const added = await as(organization, 'POST', '/organizations/api-keys', { name: 'Second' })
    const { api_key: apiKey } = added.body.result
    const { result: keys } = (await as(organization, 'GET', '/organizations/api-keys')).body
    const first = keys.find(({ name }: { name?: string }) => name !== 'Second')
    const second = { ...organization, apiKey }
    expect((await as(second, 'DELETE', `/organizations/api-keys/${first?.id}`)).status).toBe(204)
    await dataFolder.expectGracefulStop(signet, { folder })
    const without = await dataFolder.start(context, { folder })
    expect(without.output()).toContain(`API key: the one in ${join(folder, 'first-api-key')} is not valid any more; `)
    await dataFolder.expectGracefulStop(without, { folder })
    writeFileSync(join(folder, 'first-api-key'), `${apiKey}\n`)
    await dataFolder.start(context, { folder })
    expect(statusInShell(folder)).toBe('200')
  })

  test('A start reaches receiver.test on this machine once its certificate is in the data folder', async (context) => {
    const folder = dataFolder.copy(context, 'receiver')
    const before = await dataFolder.start(context, { folder })
    const webhook = { target_url: 'https://receiver.test:9443/hook', name: 'Own' }
    const { organization, as } = dataFolder
    const { id } = (await as(organization, 'POST', '/organizations/webhooks', webhook)).body.result
    const hook = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
    await as(organization, 'POST', `/organizations/webhooks/${id}/triggers`, hook)
    const url = `$SIGNET_URL/organizations/webhooks/${id}/dry-run`
    const error = () => JSON.parse(inShell(folder, `curl -sS -X POST -H @headers ${url}`)).result.attempts[0].error
    expect(before.output()).toMatch(/^Receiver on this machine: .*npm run certificate/m)
    await dataFolder.expectGracefulStop(before, { folder })
    execFileSync(process.execPath, ['scripts/make-certificate.ts'], {
      cwd: repository,
      env: { ...process.env, SIGNET_DATA_DIR: folder },
    })
    const after = await dataFolder.start(context, { folder })
    expect(after.output()).toContain('Receiver on this machine: https://receiver.test:9443/… is port 9443 of 127.0.0.1')
    // Where nothing listens, or what has another certificate. To look the name up would end the service: see loopback-only.mjs.
    expect(error()).toMatch(/^(connection_refused|tls_error)$/)
  })
})

/** The postmaster and its children, whose command lines do not name the folder. */
function processesOfPostgres(postmaster: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  return [postmaster, ...processes.filter(([, parent]) => parent === postmaster).map(([pid]) => pid)]
}
