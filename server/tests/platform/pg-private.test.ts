import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  createDriverPool,
  isExhausted,
  isLost,
  lastRowOf,
  limitsOf,
  sendNamed,
  serverHasNoTls,
  streamOf,
  wasSent,
} from '../../src/ground/database/pg-private.ts'
import { type Connection, testDatabase } from '../support/database.ts'

let connection: Connection & { drop(): Promise<void> }
const clients: pg.Client[] = []

beforeAll(async () => {
  connection = await testDatabase()
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end().catch(() => {})
})

afterAll(() => connection?.drop())

async function connect(config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, ...config })
  client.on('error', () => {})
  clients.push(client)
  await client.connect()
  return client
}

const errorOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('it succeeded'),
    (error) => error,
  )

describe("A connection's stream", () => {
  test("A connection's stream ends what runs on it at once", async () => {
    const client = await connect()
    const running = errorOf(client.query('select pg_sleep(30)'))
    streamOf(client).destroy()
    const error = await running
    expect({ isLost: isLost(error), wasSent: wasSent(error) }).toEqual({ isLost: true, wasSent: true })
  })

  test("A connection's stream that is corked sends two statements in one write", async () => {
    const client = await connect({ pipeline: true })
    const stream = streamOf(client) as ReturnType<typeof streamOf> & Socket
    const before = stream.bytesWritten
    stream.cork()
    const both = Promise.all([client.query('select 1'), client.query('select 2')])
    expect(stream.writableLength).toBeGreaterThan(0)
    expect(stream.writableCorked).toBeGreaterThan(0)
    stream.uncork()
    await both
    expect(stream.bytesWritten).toBeGreaterThan(before)
  })

  test("A connection's stream that is let go of keeps no process", async () => {
    const client = await connect()
    const active = () => process.getActiveResourcesInfo().filter((name) => /TCP|Pipe/.test(name)).length
    const before = active()
    streamOf(client).unref()
    expect(active()).toBe(before - 1)
  })
})

describe('The pool of the driver', () => {
  const settings = { given: 'to each client' }
  const seen: unknown[] = []
  class Client extends pg.Client {
    constructor(config: pg.ClientConfig & { settings: object }) {
      super(config)
      seen.push(config.settings)
    }
  }
  const openPool = (max: number) =>
    createDriverPool({ ...connection, Client, settings, max, connectionTimeoutMillis: 200 })

  test('The pool of the driver gives its clients all of its own options, and opens them by a callback', async () => {
    const pool = openPool(1)
    await pool.query('select 1')
    await pool.end()
    expect(seen).toEqual([settings])
  })

  test('The pool of the driver follows its limit as it is now, and says so when its wait has expired', async () => {
    const pool = openPool(1)
    const first = await pool.connect()
    const error = await errorOf(pool.connect())
    expect({ isExhausted: isExhausted(error), isLost: isLost(error) }).toEqual({ isExhausted: true, isLost: true })
    limitsOf(pool).max = 2
    const second = await pool.connect()
    expect(pool.totalCount).toBe(2)
    first.release()
    second.release()
    await pool.end()
  })
})

describe('The driver says that a connection is lost', () => {
  test('The driver says that a connection is lost when a statement has no answer in time', async () => {
    const client = await connect({ query_timeout: 50 })
    expect(await errorOf(client.query('select pg_sleep(30)'))).toSatisfy(isLost)
    streamOf(client).destroy()
  })

  test('The driver says that a connection is lost before it sends the next statement', async () => {
    const client = await connect()
    const ended = new Promise((resolve) => client.once('end', resolve))
    streamOf(client).destroy()
    await ended
    const error = await errorOf(client.query('select 1'))
    expect({ isLost: isLost(error), wasSent: wasSent(error) }).toEqual({ isLost: true, wasSent: false })
  })

  test('The driver says that a connection is lost when it has been closed here', async () => {
    const client = await connect()
    await client.end()
    const error = await errorOf(client.query('select 1'))
    expect({ isLost: isLost(error), wasSent: wasSent(error) }).toEqual({ isLost: true, wasSent: false })
  })

  test('The driver says that a connection is lost when a server accepts it and is silent', async () => {
    const { port, close } = await serve(() => {})
    const config = { host: '127.0.0.1', port, connectionTimeoutMillis: 50 }
    expect(await errorOf(connect(config))).toSatisfy(isLost)
    close()
  })
})

test('The driver says in these words that a server has no TLS', async () => {
  const { port, close } = await serve((socket) => socket.once('data', () => socket.write('N')))
  const error = await errorOf(connect({ host: '127.0.0.1', port, ssl: { rejectUnauthorized: false } }))
  expect(error).toSatisfy(serverHasNoTls)
  close()
})

test('A query object with a name is a prepared statement, and the driver sends its text once', async () => {
  const client = await connect()
  const ask = (value: number) =>
    new Promise((resolve, reject) =>
      sendNamed<object>(
        client,
        { name: 'own_name', text: 'select $1::int as value', values: [value] },
        (error, result) => (error ? reject(error) : resolve(result.rows)),
      ),
    )
  expect([await ask(1), await ask(2)]).toEqual([[{ value: 1 }], [{ value: 2 }]])
  const { rows } = await client.query('select name, statement from pg_prepared_statements')
  expect(rows).toEqual([{ name: 'own_name', statement: 'select $1::int as value' }])
})

test('A text of several statements has a list of results, and one limit of time', async () => {
  const client = await connect()
  expect(await lastRowOf(client, 'select 1 as first; select 2 as last', 5_000)).toEqual({ last: 2 })
  expect(await errorOf(lastRowOf(client, 'select 1; select pg_sleep(30)', 50))).toSatisfy(isLost)
  streamOf(client).destroy()
})

/** A server that is no PostgreSQL. */
async function serve(talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    talk(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, close }
}
