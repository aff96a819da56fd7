import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { linesOf, runCommand } from '../support/command-line.ts'
import { administer, inDatabase, makeName } from '../support/database.ts'
import type { Life } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

/** More than the connections of any process here, so that each has all that it may open in use. */
const writersAtOnce = 24
const patience = { timeout: 60_000 }
const timeout = 180_000

const superuser = inject('superuser')
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver?.stop())

type Limited = { role: string; url: string; query(text: string): Promise<unknown> }

/** A database of a role that may open so many connections, and is no superuser. */
async function limitedTo(limit: number, { onTestFinished }: Life): Promise<Limited> {
  const server = inject('postgres')
  const name = makeName(inject('run'))
  const query = (text: string) => administer({ ...server, ...superuser }, text)
  await query(`create role ${name} login connection limit ${limit} in role pg_monitor`)
  await query(`create database ${name} owner ${name} template template0 encoding 'UTF8'`)
  onTestFinished(async () => {
    await query(`drop database ${name} with (force)`)
    await query(`drop role ${name}`)
  })
  const url = new URL(inDatabase(server, name).url)
  if (url.searchParams.has('user')) url.searchParams.set('user', name)
  else url.username = name
  return { role: name, url: url.href, query }
}

async function start({ url }: Limited, { onTestFinished }: Life, env: Record<string, string> = {}): Promise<Signet> {
  const signet = await startSignet({
    databaseUrl: url,
    receiver,
    env: { SIGNET_BASE_URL: 'http://signet.localhost', ...env },
  })
  onTestFinished(() => signet.kill())
  return signet
}

/** Writes and lists at the full rate of each process, until it is stopped; gives the number of persons that were acknowledged. */
function load(processes: Signet[], organization: Organization) {
  const statuses = new Map<number, number>()
  let isOver = false
  const write = async (signet: Signet) => {
    while (!isOver) {
      const { status } = await signet.as(organization, 'POST', '/persons', {})
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const list = async (signet: Signet) => {
    while (!isOver) await signet.as(organization, 'GET', '/persons?limit=1000')
  }
  const running = Promise.allSettled(
    processes.flatMap((signet) => [
      ...Array.from({ length: writersAtOnce }, () => write(signet)),
      ...Array.from({ length: 6 }, () => list(signet)),
    ]),
  )
  return {
    statuses,
    stop: async () => {
      isOver = true
      expect((await running).filter(({ status }) => status === 'rejected')).toEqual([])
      expect([...statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([])
      return statuses.get(201) ?? 0
    },
  }
}

/** Waits until so many events have arrived; one may come twice. */
const untilDelivered = (path: string, count: number) =>
  expect
    .poll(() => new Set(receiver.received(path).map(({ body }) => decodeJwt(body).sub)).size, patience)
    .toBeGreaterThanOrEqual(count)

/** A loaded process on a busy machine may answer one probe late. */
const untilReady = (...processes: Signet[]) =>
  expect
    .poll(() => Promise.all(processes.map((signet) => signet.call('GET', '/readyz'))), patience)
    .toEqual(processes.map(() => expect.objectContaining({ status: 200 })))

/** The greatest number of connections that the process on it said it may have. */
const saidIn = (signet: Signet) => Number(/Connections to the database: up to (\d+)/.exec(signet.output())?.[1])

async function makeOrganization(signet: Signet, path: string) {
  const organization = await signet.organization()
  await addWebhook(signet, organization, receiver.url(path), ['PersonCreated_v1'])
  return organization
}

describe.skipIf(!superuser)('Where the server gives fewer connections than a process can use', () => {
  test('A start is refused where it cannot have what it needs, with the number', { timeout }, async (context) => {
    const database = await limitedTo(5, context)
    const refusal = `database: this process needs 8 connections, and its share is 5: the connection limit of the role ${database.role} is 5`
    await expect(start(database, context)).rejects.toThrow(refusal)
  })

  test.for([8, 12, 25])(
    'With %d, what is acknowledged is delivered while requests come at their full rate',
    {
      timeout,
    },
    async (limit, context) => {
      const database = await limitedTo(limit, context)
      const signet = await start(database, context)
      expect(saidIn(signet)).toBe(limit)
      const organization = await makeOrganization(signet, `/with-${limit}`)
      const loading = load([signet], organization)
      await untilDelivered(`/with-${limit}`, 100)
      await untilReady(signet)
      const acknowledged = await loading.stop()
      await untilDelivered(`/with-${limit}`, acknowledged)
    },
  )

  test('Two processes on 40 share them, and both deliver', { timeout }, async (context) => {
    const database = await limitedTo(40, context)
    const first = await start(database, context)
    const second = await start(database, context)
    expect([saidIn(first), saidIn(second)]).toEqual([27, 20])
    const organization = await makeOrganization(first, '/two')
    const loading = load([first, second], organization)
    await untilDelivered('/two', 200)
    await untilReady(first, second)
    await untilDelivered('/two', await loading.stop())
  })

  test('A process that starts while another has everything in use gets its share', { timeout }, async (context) => {
    const database = await limitedTo(20, context)
    const first = await start(database, context)
    const organization = await makeOrganization(first, '/second')
    const loading = load([first], organization)
    await untilDelivered('/second', 100)
    const second = await start(database, context)
    expect([saidIn(first), saidIn(second)]).toEqual([20, 10])
    await untilReady(first, second)
    await untilDelivered('/second', await loading.stop())
  })

  test('A limit that is lowered while requests come takes from them first', { timeout }, async (context) => {
    const database = await limitedTo(-1, context)
    const signet = await start(database, context)
    const organization = await makeOrganization(signet, '/lowered')
    const loading = load([signet], organization)
    await untilDelivered('/lowered', 100)
    await database.query(`alter role ${database.role} connection limit 8`)
    // All come back in any order, as after a failover.
    await database.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${database.role}'`)
    await untilDelivered('/lowered', receiver.received('/lowered').length + 200)
    await untilReady(signet)
    await untilDelivered('/lowered', await loading.stop())
  })

  test('A process whose probe gets no connection is ready while those that it has work', {
    timeout,
  }, async (context) => {
    const database = await limitedTo(12, context)
    const signet = await start(database, context)
    const organization = await makeOrganization(signet, '/probed')
    const others: pg.Client[] = []
    context.onTestFinished(() => void Promise.all(others.map((client) => client.end())))
    const takeAll = async () => {
      for (;;) {
        const client = new pg.Client({ connectionString: database.url })
        client.on('error', () => {})
        others.push(client)
        await client.connect()
      }
    }
    const note = async () => {
      await takeAll().catch(({ code }) => expect(code).toBe('53300'))
      const { status, body } = await signet.call('GET', '/readyz')
      return { status, notes: body.notes }
    }
    const unseen = 'no further connection to the database: full 53300'
    await expect.poll(note, patience).toEqual({ status: 200, notes: [unseen] })
    expect((await signet.as(organization, 'POST', '/persons', {})).status).toBe(201)
    await untilDelivered('/probed', 1)
  })

  test('signet doctor counts what the processes can use and need against what there is', {
    timeout,
  }, async (context) => {
    const database = await limitedTo(20, context)
    const examine = async (env: Record<string, string> = {}) => {
      const settings = {
        DATABASE_URL: database.url,
        SIGNET_BASE_URL: 'http://signet.localhost',
        SIGNET_MASTER_KEY: makeMasterKey(),
      }
      const { output } = await runCommand(context, ['doctor', '--json'], { ...settings, ...env })
      return linesOf(output).flatMap(({ result, message }) =>
        /connection/.test(message) ? [`${result} ${message}`] : [],
      )
    }
    expect(await examine({ SIGNET_DATABASE_CONNECTIONS: '2' })).toEqual([
      expect.stringMatching(
        `^ok one process of Signet can use 19 connections and needs 8; there are 20 for them \\(the connection limit of the role ${database.role} is 20, others have 0\\)`,
      ),
    ])
    expect(await examine()).toEqual([
      expect.stringMatching(
        /^warning one process of Signet can use 27 .*raise that limit, or lower SIGNET_DATABASE_CONNECTIONS/,
      ),
    ])
    await start(database, context)
    await start(database, context)
    await database.query(`alter role ${database.role} connection limit 15`)
    expect(await examine()).toEqual([
      expect.stringMatching(
        // Where the two have all of them open, the command gets none.
        /^wrong (2 processes of Signet can use 54 connections and need 16; there are 15 .*run fewer processes|too many connections for role .*connections\.md counts what Signet needs)/,
      ),
    ])
  })
})
