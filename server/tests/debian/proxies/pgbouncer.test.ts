import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../scripts/free-port.ts'
import { makeMasterKey } from '../../../src/ground/keys/index.ts'
import { repository } from '../../support/program.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { type Signet, startSignet } from '../../support/signet.ts'
import { addWebhook } from '../../support/webhooks.ts'
import { openFolder } from './support/folder.ts'
import { patience } from './support/patience.ts'
import { type Pgbouncer, startPgbouncer } from './support/pgbouncer.ts'
import { type Server, startServer } from './support/postgresql.ts'

/** Well below the 15 s after which a worker finds by itself what nobody told it of. */
const toldWithinMs = 5_000
const refusedWithinMs = 30_000
const pauseMs = 2_000

const masterKey = makeMasterKey()
const life = new AsyncDisposableStack()
let server: Server
let receiver: Receiver

beforeAll(async () => {
  receiver = life.adopt(await startReceiver(), (one) => one.stop())
  server = await startServer(life, join(openFolder(life), 'data'))
})

afterAll(() => life.disposeAsync())

describe.each(['transaction', 'statement'])('PgBouncer in %s mode', (mode) => {
  test('PgBouncer is refused in one sentence at each start, which leaves no lock behind', async () => {
    await using own = new AsyncDisposableStack()
    const { url } = await startPgbouncer(own, server, { mode })
    for (let start = 0; start < 2; start++) {
      const { status, stdout, stderr } = startRefused(url, await freePort())
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^[^\n]*\bpool_mode = session\b[^\n]*\n$/)
      expect(await server.query(`select pid from pg_locks where locktype = 'advisory'`)).toEqual([])
    }
  })
})

/** Its own 20 connections are fewer than two processes may want: whoever waits for more than 5 s is answered 503. */
const configurations = [
  { how: 'as documented', isStock: false, atOnce: 40 },
  { how: 'with its own sizes', isStock: true, atOnce: 4 },
]

describe.each(configurations)('PgBouncer in session mode, $how', ({ isStock, atOnce }) => {
  const own = new AsyncDisposableStack()
  let pgbouncer: Pgbouncer
  let api: Signet
  let worker: Signet

  beforeAll(async () => {
    pgbouncer = await startPgbouncer(own, server, { isStock })
    const start = async (roles: string) =>
      own.adopt(
        await startSignet({
          databaseUrl: pgbouncer.url,
          receiver,
          masterKey,
          env: { SIGNET_ROLES: roles, SIGNET_BASE_URL: 'http://signet.localhost' },
        }),
        (signet) => signet.kill(),
      )
    api = await start('api')
    worker = await start('worker')
  })

  afterAll(() => own.disposeAsync())

  test('PgBouncer carries notifications between processes: what one commits, the other delivers at once', async () => {
    const organization = await api.organization()
    await addWebhook(api, organization, receiver.url(`/told/${organization.id}`), ['PersonCreated_v1'])
    for (let count = 1; count <= 5; count++) {
      expect((await api.as(organization, 'POST', '/persons', {})).status).toBe(201)
      await receiver.waitFor(`/told/${organization.id}`, count, toldWithinMs)
    }
  })

  test(`Signet answers ${atOnce} requests at once, and logs no fault`, async () => {
    const organization = await api.organization()
    const create = () => api.as(organization, 'POST', '/persons', {}).then(({ status }) => status)
    expect(await Promise.all(Array.from({ length: atOnce }, create))).toEqual(Array(atOnce).fill(201))
    expect((await api.as(organization, 'GET', '/persons')).body.meta.pagination.total_count).toBe(atOnce)
    expect(api.output() + worker.output()).not.toContain('"level":50')
  })

  test.each([
    ['a restart of all server connections', (console: Pgbouncer) => console.command('RECONNECT')],
    ['the loss of all connections', killAndResume],
    ['a pause', pauseAndResume],
    ['a restart of PostgreSQL', restartServer],
  ])('Signet goes on after %s, and delivers all that was acknowledged', async (_, disturb) => {
    const organization = await api.organization()
    const path = `/disturbed/${organization.id}`
    await addWebhook(api, organization, receiver.url(path), ['PersonCreated_v1'])
    const acknowledged: string[] = []
    const create = async () => {
      const { status, body } = await api.as(organization, 'POST', '/persons', {})
      if (status === 201) acknowledged.push(body.result.person_id)
      return status
    }
    expect(await create()).toBe(201)
    const disturbed = disturb(pgbouncer)
    while (!(await isSettled(disturbed))) expect([201, 503]).toContain(await create())
    await vi.waitFor(async () => expect(await create()).toBe(201), patience)
    const persons = async () => (await api.as(organization, 'GET', '/persons?limit=1000')).body.result
    const kept = (await persons()).map(({ person_id }: { person_id: string }) => person_id)
    expect(kept).toEqual(expect.arrayContaining(acknowledged))
    await receiver.waitFor(path, kept.length, patience.timeout)
    for (const { baseUrl } of [api, worker]) {
      await vi.waitFor(async () => expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200), patience)
    }
  })
})

const isSettled = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 20))])

async function killAndResume(console: Pgbouncer) {
  await console.command('KILL signet')
  await console.command('RESUME signet')
}

/** In session mode a pause waits for the clients to leave, and is not answered before; whoever comes waits for its end. */
async function pauseAndResume(console: Pgbouncer) {
  console.command('PAUSE signet').catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, pauseMs))
  await console.command('RESUME signet')
}

async function restartServer() {
  await server.stop()
  await server.start()
}

/** `npm start`, which is to end by itself. */
const startRefused = (databaseUrl: string, port: number) =>
  spawnSync(process.execPath, ['server/src/main.ts'], {
    cwd: repository,
    encoding: 'utf8',
    timeout: refusedWithinMs,
    killSignal: 'SIGKILL',
    env: {
      DATABASE_URL: databaseUrl,
      PORT: `${port}`,
      SIGNET_MASTER_KEY: masterKey,
      SIGNET_BASE_URL: 'http://signet.localhost',
    },
  })
