import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectionOf } from '../../src/ground/database/connection.ts'
import { type Database, openDatabase, type Transaction } from '../../src/ground/database/database.ts'
import { isRolledBack, isUnavailable, mayBeCommitted } from '../../src/ground/database/postgres-error.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { type Connection, testDatabase } from '../support/database.ts'
import { watchWire } from '../support/wire.ts'

let connection: Connection
let database: Database

beforeAll(async () => {
  connection = await testDatabase()
  database = openDatabase(connection)
})
afterAll(() => database?.close())

test('The first failure of statements sent together is the one that every caller gets, however deep the call was', async () => {
  const failing = database.transaction(async (tx) => {
    const inner = async () => {
      const [row] = await Promise.all([tx.rows(sql`select 1 / ${0}::int as quotient`)])
      return row
    }
    await Promise.all([inner(), tx.rows(sql`select ${1}::int as one`)])
  })
  await expect(failing).rejects.toMatchObject({ code: '22012' })
})

test('Options of a URL stand beside those that Signet sets, and do not replace them', async () => {
  const options = '-c work_mem=5MB -c enable_sort=off -c enable_seqscan=on -c statement_timeout=1min'
  const opened = openDatabase(connectionOf(addressWith(connection, `options=${encodeURIComponent(options)}`)))
  const [row] = await opened.write.rows(sql`
    select current_setting('work_mem') as work_mem, current_setting('enable_sort') as enable_sort,
           current_setting('enable_seqscan') as enable_seqscan, current_setting('statement_timeout') as statement_timeout`)
  expect(row).toEqual({ work_mem: '5MB', enable_sort: 'off', enable_seqscan: 'off', statement_timeout: '130s' })
  await opened.close()
})

describe('What is done together', () => {
  const count = async (from: Database = database) =>
    (await from.read.rows(sql<{ count: number }>`select count(*) from together`))[0]?.count
  const insert = (text: string) => database.write.rows(sql`insert into together values (${text})`)
  const outside = () => openDatabase(connection)

  beforeAll(() => database.write.rows(sql`create table together (text text)`))
  beforeEach(() => database.write.rows(sql`delete from together`))

  test('Statements, transactions and reads take part, and nobody else sees them before the commit', async () => {
    const other = outside()
    const order: string[] = []
    await database.together(async (tx) => {
      await insert('statement')
      await database.transaction(async (inner) => {
        await inner.rows(sql`insert into together values ('transaction')`)
        inner.afterCommit(() => order.push('after the commit'))
      })
      await database.statement((inner) => inner.rows(sql`insert into together values ('single')`))
      await tx.rows(sql`insert into together values ('own')`)
      await database.onceCommitted(async () => void order.push('once committed'))
      expect([await count(), await count(other), order]).toEqual([4, 0, []])
    })
    expect([await count(other), order]).toEqual([4, ['after the commit', 'once committed']])
    await other.close()
  })

  test('What fails rolls all back, and runs no action of the commit', async () => {
    const order: string[] = []
    const failing = database.together(async () => {
      await database.transaction(async (inner) => {
        await inner.rows(sql`insert into together values ('transaction')`)
        inner.afterCommit(() => order.push('after the commit'))
        inner.afterFailure(() => order.push('after the failure'))
      })
      await database.onceCommitted(async () => void order.push('once committed'))
      throw new Error('late')
    })
    await expect(failing).rejects.toThrow('late')
    expect([await count(), order]).toEqual([0, ['after the failure']])
  })

  test('What outlives the call, and what others do meanwhile, is on its own', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    let outliving: Promise<unknown> = Promise.resolve()
    const failing = database.together(async () => {
      outliving = ended.then(() => insert('outliving'))
      throw new Error('rolled back')
    })
    await Promise.all([expect(failing).rejects.toThrow('rolled back'), insert('beside')])
    end()
    await outliving
    expect(await count()).toBe(2)
  })

  test('One connection is enough, for reads too', async () => {
    const small = openDatabase(connection, { transactions: 1, reads: 0, pages: 0 })
    const calls = Array.from({ length: 20 }, () =>
      small.together(async () => {
        await small.write.rows(sql`insert into together values ('one')`)
        return [...(await small.read.rows(sql`select`)), ...(await small.pages.rows(sql`select`))].length
      }),
    )
    expect(await Promise.all(calls)).toEqual(Array(20).fill(2))
    expect(await count(small)).toBe(20)
    await small.close()
  })

  test('Outside of it, what waits for a commit is done at once', async () => {
    const done: string[] = []
    await database.onceCommitted(async () => void done.push('done'))
    expect([done, database.isTogether()]).toEqual([['done'], false])
  })
})

describe('A statement whose result arrives early', () => {
  const none = () => undefined

  test('A statement sees what was sent before it', async () => {
    await database.write.rows(sql`create table seen (n int)`)
    const { result, committed } = await database.early(
      (queries) => queries.rows(sql`insert into seen values (${1}::int)`),
      (queries) => queries.rows(sql<{ n: number }>`select n from seen`),
    )
    expect(result).toEqual([{ n: 1 }])
    await committed
  })

  test('A statement that fails reports it, and releases its connection', async () => {
    const failing = () => database.early(none, (queries) => queries.rows(sql`select 1 / ${0}::int`))
    // More often than there are connections.
    for (let tries = 0; tries < 12; tries++) await expect(failing()).rejects.toMatchObject({ code: '22012' })
    const { committed } = await database.early(none, (queries) => queries.rows(sql`select 1`))
    await committed
  })

  test('A statement is not committed when a check at the commit fails, though its result had arrived', async () => {
    await database.write.rows(sql`create table checked (n int unique deferrable initially deferred)`)
    await database.write.rows(sql`insert into checked values (1)`)
    const { result, committed } = await database.early(none, (queries) =>
      queries.rows(sql<{ n: number }>`insert into checked values (1) returning n`),
    )
    expect(result).toEqual([{ n: 1 }])
    await expect(committed).rejects.toMatchObject({ code: '23505' })
  })
})

describe('The last statements of a transaction, with which `commit` is sent', () => {
  const hooks = (tx: Transaction) => {
    const run: string[] = []
    tx.afterCommit(() => run.push('commit'))
    tx.afterFailure((error) => run.push(isRolledBack(error) ? 'rolled back' : 'failure'))
    return run
  }
  const insert = (n: number) => sql`insert into lasting values (${n}::int)`
  const stored = () => database.read.rows(sql<{ n: number }>`select n from lasting order by n`)
  const isOpen = () =>
    database.read.rows(sql`
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`)

  beforeAll(() => database.write.rows(sql`create table lasting (n int unique deferrable initially deferred)`))
  beforeEach(() => database.write.rows(sql`delete from lasting`))

  test('They are committed, and what is to follow the commit follows it', async () => {
    let run: string[] = []
    const { result, positions } = await database.withPositions(() =>
      database.transaction(async (tx) => {
        run = hooks(tx)
        await tx.rows(insert(1))
        await tx.last(() => Promise.all([tx.rows(insert(2)), tx.rows(insert(3))]))
        expect(run).toEqual([])
        return 'done'
      }),
    )
    expect({ result, run, stored: await stored() }).toEqual({
      result: 'done',
      run: ['commit'],
      stored: [{ n: 1 }, { n: 2 }, { n: 3 }],
    })
    expect(positions).toEqual([{ timeline: expect.any(String), lsn: expect.any(Number) }])
  })

  test.each<[string, (tx: Transaction) => Promise<unknown>, object]>([
    [
      'a statement of them fails',
      (tx) => Promise.all([tx.rows(insert(2)), tx.rows(sql`select 1 / ${0}::int`), tx.rows(insert(3))]),
      { code: '22012' },
    ],
    [
      'a statement is never sent, because this process fails before',
      (tx) => Promise.all([tx.rows(insert(2)), Promise.resolve().then(failing)]),
      { message: 'not sent' },
    ],
    ['a check at the commit fails', (tx) => Promise.all([tx.rows(insert(1))]), { code: '23505' }],
  ])('Nothing is stored, and the connection has no transaction open, when %s', async (_, send, failure) => {
    let run: string[] = []
    const transaction = database.transaction(async (tx) => {
      run = hooks(tx)
      await tx.rows(insert(1))
      // It may do more before it gives up.
      await tx.last(() => send(tx)).catch((error) => nextTurn().then(() => Promise.reject(error)))
    })
    await expect(transaction).rejects.toMatchObject(failure)
    const isKnown = 'code' in failure
    const outcome = { run, stored: await stored(), open: await isOpen() }
    expect(outcome).toEqual({ run: [isKnown ? 'rolled back' : 'failure'], stored: [], open: [] })
  })

  test('A failure among them that nobody throws is no success', async () => {
    const work = async (tx: Transaction) =>
      void (await tx.last(() => Promise.allSettled([tx.rows(sql`select 1 / ${0}::int`), tx.rows(insert(1))])))
    await expect(database.transaction(work)).rejects.toThrow('the transaction was rolled back by PostgreSQL')
    expect(await stored()).toEqual([])
  })

  test('A connection whose server cannot go on is not used again', async () => {
    const single = openDatabase(connection, 1)
    const pid = () => single.write.rows(sql`select pg_backend_pid()`)
    const before = await pid()
    const raise = sql`do $$ begin raise exception 'full' using errcode = '53100'; end $$`
    await expect(single.transaction((tx) => tx.last(() => tx.rows(raise)))).rejects.toMatchObject({ code: '53100' })
    expect(await pid()).not.toEqual(before)
    await single.close()
  })

  test('A server that ends the connection while they run leaves the commit uncertain', async () => {
    const holder = new pg.Client(connection)
    await holder.connect()
    await holder.query('select pg_advisory_lock(2)')
    const ended = database
      .transaction((tx) => tx.last(() => Promise.all([tx.rows(sql`select pg_advisory_xact_lock(2)`)])))
      .catch((error) => error)
    const terminate = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and not granted and database =
      (select oid from pg_database where datname = current_database())`
    await expect.poll(async () => (await holder.query(terminate)).rowCount, { timeout: 30_000 }).toBe(1)
    expect(mayBeCommitted(await ended)).toBe(true)
    await holder.end()
  })

  test('They are sent again with all before them after a serialization failure', async () => {
    await database.write.rows(sql`create sequence tries`)
    const failOnce = sql`
      do $$ begin if nextval('tries') = 1 then raise exception 'again' using errcode = '40001'; end if; end $$`
    await database.transaction(async (tx) => {
      await tx.rows(insert(1))
      await tx.last(() => Promise.all([tx.rows(failOnce), tx.rows(insert(2))]))
    })
    expect(await stored()).toEqual([{ n: 1 }, { n: 2 }])
  })

  test('No statement follows them', async () => {
    const late = database.transaction(async (tx) => {
      await tx.last(() => tx.rows(insert(1)))
      await tx.rows(insert(2))
    })
    await expect(late).rejects.toThrow('a statement after the last ones of its transaction')
    expect(await stored()).toEqual([{ n: 1 }])
  })

  test('A connection that is lost with them leaves the commit uncertain, and one lost before does not', async () => {
    const wire = await watchWire(connection)
    const through = openDatabase(connectionOf(wire.url), 1)
    const cut = async (text: string) => {
      const run: string[] = []
      wire.cutAfter(text)
      const thrown = through.transaction(async (tx) => {
        tx.afterFailure((error) => run.push(isRolledBack(error) ? 'rolled back' : 'failure'))
        await tx.rows(sql`select ${'early'}::text`)
        await tx.last(() => Promise.all([tx.rows(insert(1)), tx.rows(sql`select ${'late'}::text`)]))
      })
      const error = await thrown.catch((error) => error)
      return { isUncertain: mayBeCommitted(error), isUnavailable: isUnavailable(error), run }
    }
    expect(await cut('early')).toEqual({ isUncertain: false, isUnavailable: true, run: ['failure'] })
    expect(await stored()).toEqual([])
    expect(await cut('late')).toEqual({ isUncertain: true, isUnavailable: true, run: ['failure'] })
    await expect.poll(stored).toEqual([{ n: 1 }])
    await through.close()
    await wire.stop()
  })
})

const failing = (): never => {
  throw new Error('not sent')
}

test('The end of a connection that is read together with the reply before it does not end the process', async () => {
  const holder = new pg.Client(connection)
  holder.on('error', () => {})
  await holder.connect()
  await holder.query('select pg_advisory_lock(1)')
  const single = openDatabase(connection, 1)
  const slow = single.write.rows(sql`select pg_advisory_xact_lock(1)`)
  const next = single.transaction((tx) => tx.rows(sql`select 1`))
  const blocked = `select from pg_locks where locktype = 'advisory' and not granted and database =
    (select oid from pg_database where datname = current_database())`
  await expect.poll(async () => (await holder.query(blocked)).rowCount, { timeout: 30_000 }).toBe(1)
  endBoth()
  await slow
  await Promise.allSettled([next])
  await expect(single.transaction((tx) => tx.rows(sql`select 1 as one`))).resolves.toEqual([{ one: 1 }])
  await single.close()
})

const addressWith = ({ url }: Connection, parameters: string) => `${url}${url.includes('?') ? '&' : '?'}${parameters}`

test('A server that ends a connection together with its start does not end the process', async () => {
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, body])
  }
  const ended = Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0')
  const answer = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I')), message('E', ended)])
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(answer)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const away = openDatabase({ host: '127.0.0.1', port, user: 'signet', database: 'signet' }, 1)
  await expect(away.write.rows(sql`select 1`)).rejects.toMatchObject({ status: 503 })
  await expect(away.read.rows(sql`select 1`)).rejects.toMatchObject({ status: 503 })
  await away.close()
  server.close()
})

/** Ends the session that holds the lock, and then the one that waited for it; nothing is read in this process meanwhile. */
function endBoth() {
  execFileSync(process.execPath, [
    '--input-type=module',
    '--eval',
    `import pg from 'pg'
     const client = new pg.Client(${JSON.stringify(connection)})
     await client.connect()
     const end = (condition) => client.query(\`select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state = 'idle' and \${condition}\`)
     const endOnce = async (condition) => { while ((await end(condition)).rowCount === 0); }
     await endOnce("query like '%pg_locks%'")
     await endOnce("query like '%pg_advisory_xact_lock%'")
     await client.end()`,
  ])
}
