import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, inject, type TestContext, test, vi } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { emptyDatabase, endpointOf, throughPort } from '../support/database.ts'
import { type Program, run, temporaryFolder } from '../support/program.ts'
import { type Client, createClient } from '../support/signet.ts'

/** Everything here starts programs, which takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const operatorKey = 'operator-key-for-tests-0123456789'
const masterKey = makeMasterKey()
const baseUrl = 'https://id.example.com'
const patience = { timeout: 30_000, interval: 20 }
const alreadyThere = 'there is an organization already; the operator makes more with POST /organizations\n'

describe.concurrent('signet init', () => {
  test('Signet init creates the first organization once, on a database where a start created none', async (context) => {
    const database = await ownDatabase(context)
    const { signet, client } = await start(context, database)
    expect(signet.output()).not.toMatch(/Organization|key/)
    expect(signet.output()).toContain('No organization yet; make the first one: npx signet init --name "Example"\n')
    expect((await client.operate('GET', '/organizations')).body.result).toEqual([])

    const init = signetInit(context, database, ['--name', 'Föö & Co'])
    expect(await init.ended).toBe(0)
    const [, id = '', apiKey = ''] =
      /^Base URL: https:\/\/id\.example\.com\nOrganization ID: (\S+)\nAPI key: (\S+)\n$/.exec(init.output()) ?? []
    const { result } = (await client.operate('GET', '/organizations')).body
    expect(result).toMatchObject([{ id, name: 'Föö & Co', pricing_tier: 'unlimited' }])
    expect((await client.as({ id, apiKey }, 'POST', '/persons', {})).status).toBe(201)

    const again = signetInit(context, database)
    expect(await again.ended).toBe(1)
    expect(again.output()).toBe(alreadyThere)
    expect((await client.operate('GET', '/organizations')).body.result).toHaveLength(1)
    const next = await start(context, database)
    expect(next.signet.output()).not.toContain('No organization yet')
  })

  test('Two runs of signet init at once create one organization, also on a database that nothing was started on', async (context) => {
    const database = await ownDatabase(context)
    const inits = [signetInit(context, database, ['--json']), signetInit(context, database, ['--json'])]
    const ends = await Promise.all(inits.map(({ ended }) => ended))
    expect(ends.toSorted()).toEqual([0, 1])
    const [made, refused] = [0, 1].map((end) => JSON.parse(inits[ends.indexOf(end)]?.output() ?? ''))
    const key = { organization_id: expect.any(String), api_key: expect.stringMatching(/^signet_/) }
    expect(made).toEqual({ type: 'initialized', base_url: baseUrl, ...key })
    expect(refused).toEqual({ type: 'error', message: alreadyThere.trimEnd(), exit_code: 1 })
    expect(await rowsOf(database, 'select from organizations')).toBe(1)
  })

  test.for([
    ['without DATABASE_URL', { DATABASE_URL: '' }, [], /^DATABASE_URL: is required; .*\n$/],
    [
      'without SIGNET_BASE_URL and SIGNET_MASTER_KEY',
      { SIGNET_BASE_URL: '', SIGNET_MASTER_KEY: '' },
      [],
      /^SIGNET_BASE_URL: is required with DATABASE_URL\nSIGNET_MASTER_KEY: is required with DATABASE_URL\n$/,
    ],
    ['with an empty name', {}, ['--name', ''], /^--name: must be 1 to 200 characters\n$/],
    ['with a name of 201 characters', {}, ['--name', 'n'.repeat(201)], /^--name: must be 1 to 200 characters\n$/],
    ['with an unknown option', {}, ['--key', 'x'], /^error: unknown option '--key'\n.*\n$/],
  ] as const)('A run of signet init %s is refused', async ([, environment, options, message], context) => {
    const init = signetInit(context, 'postgresql://127.0.0.1:1/signet', options, environment)
    expect(await init.ended).toBe(2)
    expect(init.output()).toMatch(message)
  })

  test('A run of signet with an unknown command names the one that was meant', async (context) => {
    const signet = run(context, [process.execPath, 'server/src/signet.ts', 'initt'], {})
    expect(await signet.ended).toBe(2)
    expect(signet.output()).toMatch(/^error: unknown command 'initt'\n\(Did you mean init\?\)/)
  })
})

describe.concurrent('A start on a database of its own', () => {
  test('Several starts at once migrate the database once, and none needs a data folder', async (context) => {
    const database = await ownDatabase(context)
    const folder = join(temporaryFolder(context), 'data')
    const all = await Promise.all([1, 2, 3].map(() => start(context, database, { SIGNET_DATA_DIR: folder })))
    for (const { signet } of all) {
      process.kill(signet.pid, 'SIGTERM')
      expect(await signet.ended).toBe(0)
    }
    expect(existsSync(folder)).toBe(false)
    expect(await rowsOf(database, 'select from installation')).toBe(1)
  })

  test.for([
    ['SIGNET_MASTER_KEY', makeMasterKey(), /^SIGNET_MASTER_KEY: none of its keys fits this database, .*\n$/],
    ['SIGNET_BASE_URL', 'https://id.example.org', /^SIGNET_BASE_URL: was https:\/\/id\.example\.com and is now .*\n$/],
  ] as const)('A start with another %s is refused, and so is signet init', async ([name, value, message], context) => {
    const database = await ownDatabase(context)
    const changed = { [name]: value }
    expect(await signetInit(context, database).ended).toBe(0)
    for (const program of [launch(context, database, changed), signetInit(context, database, [], changed)]) {
      expect(await program.ended).toBe(1)
      expect(program.output()).toMatch(message)
    }
  })

  test('Of two starts at once with different base URLs one is refused', async (context) => {
    const database = await ownDatabase(context)
    const other = 'https://id.example.org'
    const starts = await Promise.all(
      [baseUrl, other].map(async (SIGNET_BASE_URL) => {
        const signet = launch(context, database, { SIGNET_BASE_URL, PORT: `${await freePort()}` })
        return { signet, end: await Promise.race([signet.says(/^Ready\./m), signet.ended]).catch(() => signet.ended) }
      }),
    )
    const refused = starts.filter(({ end }) => end === 1).map(({ signet }) => signet.output())
    expect(refused).toEqual([expect.stringMatching(/^SIGNET_BASE_URL: was https:.* and is now https:.*\n$/)])
  })

  test('A start without a database server reports it in one line, without the password', async (context) => {
    const signet = launch(context, 'postgresql://signet:tell-nobody@127.0.0.1:1/signet', { SIGNET_DATABASE_WAIT: '1s' })
    expect(await signet.ended).toBe(1)
    expect(signet.output().split('\n')).toEqual([
      'Waiting for the database at 127.0.0.1:1, at most 1 s: connect ECONNREFUSED 127.0.0.1:1',
      'database: connect ECONNREFUSED 127.0.0.1:1',
      '',
    ])
  })

  test('A start is not ready while the database does not respond, is ready afterwards, and can be stopped even then', async (context) => {
    const line = await cuttableLine(context)
    const { signet, client } = await start(context, await ownDatabase(context, line.port), busy)
    await keepWorkerBusy(client)
    const readiness = async () => (await client.call('GET', '/readyz')).status
    expect(await readiness()).toBe(200)
    line.cut()
    await vi.waitFor(async () => expect(await readiness()).toBe(503), patience)
    expect((await client.call('GET', '/livez')).status).toBe(200)
    line.mend()
    await vi.waitFor(async () => expect(await readiness()).toBe(200), patience)
    line.cut()
    await vi.waitFor(async () => expect(await readiness()).toBe(503), patience)
    process.kill(signet.pid, 'SIGTERM')
    expect(await signet.ended).toBe(0)
  })
})

describe.concurrent('A stop while the database is waited for', () => {
  const nowhere = 'postgresql://signet@127.0.0.1:1/signet'
  const isWaiting = /^Waiting for the database/m
  const stopsAtOnce = async (program: Program, signal: NodeJS.Signals) => {
    const since = performance.now()
    process.kill(program.pid, signal)
    const end = await program.ended
    // Of a minute.
    expect(performance.now() - since).toBeLessThan(20_000)
    return end
  }

  test('A start that waits for the database ends with 0', async (context) => {
    const signet = launch(context, nowhere)
    await signet.says(isWaiting)
    expect(await stopsAtOnce(signet, 'SIGTERM')).toBe(0)
    expect(signet.output()).toMatch(/\nStopping…\n$/)
  })

  test.for([
    ['init', []],
    ['copy', ['./nowhere']],
  ] as const)('signet %s that waits for the database ends as the signal says', async ([name, args], context) => {
    const command = [process.execPath, 'server/src/signet.ts', name, ...args]
    const program = run(context, command, settings(nowhere))
    await program.says(isWaiting)
    expect(await stopsAtOnce(program, 'SIGTERM')).toBe(143)
    expect(program.output().split('\n')).toHaveLength(2)
  })

  test('A start that waits for the lock of migrations ends with 0, and its session with it', async (context) => {
    const database = await ownDatabase(context)
    const holder = new pg.Client(database)
    await holder.connect()
    context.onTestFinished(() => holder.end())
    await holder.query('select pg_advisory_lock(7300214113)')
    const signet = launch(context, database)
    const waiting =
      'select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())'
    await vi.waitFor(async () => expect(await rowsOf(database, waiting)).toBe(1), patience)
    expect(await stopsAtOnce(signet, 'SIGTERM')).toBe(0)
    await vi.waitFor(async () => expect(await rowsOf(database, waiting)).toBe(0), patience)
  })
})

function signetInit(context: TestContext, databaseUrl: string, options: readonly string[] = [], environment = {}) {
  const command = [process.execPath, 'server/src/signet.ts', 'init', ...options]
  return run(context, command, { ...settings(databaseUrl), ...environment })
}

const launch = (context: TestContext, databaseUrl: string, environment: Record<string, string> = {}): Program =>
  run(context, [process.execPath, 'server/src/main.ts'], { ...settings(databaseUrl), ...environment })

/** Waits until it is ready. */
async function start(context: TestContext, databaseUrl: string, environment: Record<string, string> = {}) {
  const port = await freePort()
  const signet = launch(context, databaseUrl, { PORT: `${port}`, ...environment })
  await signet.says(/^Ready\. Stop with Ctrl-C\.$/m)
  return { signet, client: createClient(`http://localhost:${port}`, operatorKey) }
}

const settings = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  SIGNET_BASE_URL: baseUrl,
  SIGNET_MASTER_KEY: masterKey,
  SIGNET_OPERATOR_KEY: operatorKey,
  SIGNET_LOG_LEVEL: 'silent',
})

/** Gives its address; through a port of this machine, when one is given. */
async function ownDatabase({ onTestFinished }: TestContext, port?: number): Promise<string> {
  const database = await emptyDatabase()
  onTestFinished(database.drop)
  return port ? throughPort(database, port) : database.url
}

/** Tries every 10 ms again what nobody listens for. */
const busy = {
  SIGNET_RETRY_INITIAL: '10ms',
  SIGNET_RETRY_MAX: '10ms',
  SIGNET_WEBHOOK_RESOLVE: 'nobody.test:443:127.0.0.1',
}

async function keepWorkerBusy(client: Client) {
  const organization = await client.organization()
  const webhooks = '/organizations/webhooks'
  const target = { name: 'nobody', target_url: 'https://nobody.test/' }
  const { id } = (await client.as(organization, 'POST', webhooks, target)).body.result
  const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
  expect((await client.as(organization, 'POST', `${webhooks}/${id}/triggers`, trigger)).status).toBe(201)
  expect((await client.as(organization, 'POST', '/persons', {})).status).toBe(201)
}

async function rowsOf(databaseUrl: string, text: string): Promise<number | null> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rowCount
}

/** A port of this machine that leads to the server; while it is cut, nothing comes through and nobody is told. */
async function cuttableLine({ onTestFinished }: TestContext) {
  const endpoint = endpointOf(inject('postgres'))
  const ends = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket) => {
    ends.add(socket)
    if (isCut) socket.pause()
    socket.on('error', () => {})
    socket.once('close', () => ends.delete(socket))
  }
  const server = createServer((near) => {
    const far = connect(endpoint)
    near.pipe(far).pipe(near)
    keep(near)
    keep(far)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of ends) socket.destroy()
  })
  return {
    port: (server.address() as { port: number }).port,
    cut: () => {
      isCut = true
      for (const socket of ends) socket.pause()
    },
    mend: () => {
      isCut = false
      for (const socket of ends) socket.resume()
    },
  }
}
