import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { unavailable } from '../errors.ts'
import { beginReported, type LogPosition, readPosition } from './log-position.ts'
import { createReader, type Reader } from './reader.ts'
import type { Statement } from './sql.ts'

/** Connections for transactions; the reader has one beside them. */
const defaultConnections = 10
/** How long a request may wait for a connection before it is told to try again. */
const connectionWaitMs = 5_000
/** Longer than the longest consistency timeout (120 s): the request's own deadline always comes first. */
const statementTimeoutMs = 130_000
const idleInTransactionTimeoutMs = 10_000
/** After PostgreSQL should have ended a statement by itself. */
const answerWaitMs = 1_000
/** Lists and counts at once in one process, and how long one may take. */
const pageConnections = 4
const pageTimeoutMs = 20_000
/**
 * Rows are found by their keys. On nearly empty tables the planner would rather scan them, keep that plan on the
 * connection, and still scan when they have grown (setting groups beside 20,000 groups: 605/s, and 2,751/s with this).
 */
const planning = '-c enable_seqscan=off'
/** How often a transaction is tried when PostgreSQL asks for it (serialization failure, deadlock). */
const maxTries = 5
const tryAgainCodes = new Set(['40001', '40P01'])

export type Queries = {
  /** Runs one statement and gives its rows. */
  rows<Row>(statement: Statement<Row>): Promise<Row[]>
}

export type Transaction = Queries & {
  /** Runs `action` once the transaction is committed, and never otherwise. It must not throw. */
  afterCommit(action: () => void): void
}

export type Early<Result> = { result: Result; committed: Promise<void> }

export type Database = {
  /** Reads outside a transaction: one connection shared by all callers, pipelined. Never for writes. */
  read: Queries
  /** Lists and counts: a few connections of their own, so that one organization's large pages hold up no point reads. */
  pages: Queries
  /** One statement that is its own transaction. */
  write: Queries
  /**
   * One statement, before it any others that are transactions of their own; all sent together on one connection, so that
   * it sees what those wrote; so `others` and `one` send before they wait for anything. What it gave is there while its
   * commit waits for the disk: nobody else is to be told of it before `committed`.
   */
  early<Result>(
    others: (queries: Queries) => unknown,
    one: (queries: Queries) => Promise<Result>,
  ): Promise<Early<Result>>
  /** Runs `work` in one transaction, again when PostgreSQL asks for it: `work` must have no effect elsewhere. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** The same for work of exactly one statement, which needs no begin and commit: two round trips less. */
  statement<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /**
   * Runs `work`, and gives with its result where the log was after each of its commits, the present place where there was
   * none. `undefined` stands for a place that nobody knows, because the connection broke just after the commit.
   */
  withPositions<Result>(work: () => Promise<Result>): Promise<{ result: Result; positions: Positions }>
  close(): Promise<void>
}

type Positions = (LogPosition | undefined)[]

pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 beyond the safe integers')
  return value
})

/** `connection.options` are added to the standing ones; no statement takes longer than `timeoutMs`. */
export function openDatabase(
  given: pg.ClientConfig,
  connections = defaultConnections,
  timeoutMs = statementTimeoutMs,
): Database {
  const connection = { ...given, options: `${planning} ${given.options ?? ''}` }
  const pool = openPool(connection, connections, timeoutMs)
  const pages = openPool(connection, pageConnections, pageTimeoutMs)
  const reader: Reader = createReader(connection)
  const alone = onOneOf(pool)
  // Of whoever began `withPositions`: no slice has to pass on what only a few requests ask for.
  const asked = new AsyncLocalStorage<Positions>()
  const transaction: Database['transaction'] = (work) => transact(pool, work, asked.getStore())
  const write: Queries = {
    rows: (statement) => (asked.getStore() ? transaction((tx) => tx.rows(statement)) : alone.rows(statement)),
  }
  return {
    read: reader,
    pages: onOneOf(pages),
    write,
    early: (others, one) => early(pool, others, one),
    transaction,
    statement: (work) => inStatement(write, work),
    withPositions: async (work) => {
      const positions: Positions = []
      const result = await asked.run(positions, work)
      if (positions.length === 0) await asked.run(positions, () => transaction(async () => {}))
      return { result, positions }
    },
    close: async () => {
      await Promise.all([pool.end(), pages.end(), reader.close()])
    },
  }
}

function openPool(connection: pg.ClientConfig, max: number, timeoutMs: number): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    max,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: connectionWaitMs,
    statement_timeout: timeoutMs,
    // A peer that was lost without a word stops nothing: whoever waits for it is told, and the connection is given up.
    query_timeout: timeoutMs + answerWaitMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  })
  // An idle connection that PostgreSQL closed is replaced at the next use; without a listener the process would end.
  pool.on('error', () => {})
  return pool
}

async function transact<Result>(
  pool: pg.Pool,
  work: (tx: Transaction) => Promise<Result>,
  positions: Positions | undefined,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(pool, work, positions)
    } catch (error) {
      if (attempt === maxTries || !tryAgainCodes.has(codeOf(error) ?? '')) throw error
    }
  }
}

const onOneOf = (connections: pg.Pool | pg.PoolClient): Queries => ({
  rows: async <Row>(statement: Statement<Row>) => (await connections.query(statement)).rows as Row[],
})

async function inStatement<Result>(queries: Queries, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const actions: (() => void)[] = []
  let isMade = false
  const rows = <Row>(statement: Statement<Row>) => {
    if (isMade) throw new Error('a second statement needs a transaction')
    isMade = true
    return queries.rows(statement)
  }
  const result = await work({ rows, afterCommit: (action) => actions.push(action) })
  for (const action of actions) action()
  return result
}

async function tryTransaction<Result>(
  pool: pg.Pool,
  work: (tx: Transaction) => Promise<Result>,
  positions: Positions | undefined,
): Promise<Result> {
  const actions: (() => void)[] = []
  const result = await onConnection(pool, (client) => inTransaction(client, work, actions, positions))
  for (const action of actions) action()
  return result
}

/** After an error the connection is rolled back, whether anything is open or not, and given up when that fails. */
async function onConnection<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch(() => {
    throw unavailable()
  })
  // A checked-out connection that breaks also rejects the running query; the listener only keeps the process alive.
  const ignore = () => {}
  client.on('error', ignore)
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    broken = await client.query('rollback').then(
      () => undefined,
      (failure: Error) => failure,
    )
    throw error
  } finally {
    client.off('error', ignore)
    client.release(broken)
  }
}

function early<Result>(
  pool: pg.Pool,
  others: (queries: Queries) => unknown,
  one: (queries: Queries) => Promise<Result>,
): Promise<Early<Result>> {
  const { promise, resolve, reject } = Promise.withResolvers<Early<Result>>()
  const committed: Promise<void> = onConnection(pool, async (client) => {
    const queries = onOneOf(client)
    others(queries)
    const begun = client.query('begin')
    const given = one(queries)
    const ended = client.query('commit')
    given.then((result) => resolve({ result, committed }), reject)
    const [{ command }] = await Promise.all([ended, begun, given])
    requireCommit(command)
  })
  committed.catch(reject)
  return promise
}

async function inTransaction<Result>(
  client: pg.PoolClient,
  work: (tx: Transaction) => Promise<Result>,
  actions: (() => void)[],
  positions: Positions | undefined,
): Promise<Result> {
  // Not awaited before the work: it travels with the first statement (7,328 against 5,871 transactions/s measured).
  const begun = client.query(positions ? beginReported : 'begin')
  begun.catch(() => {})
  const result = await work({ rows: rowsWithin(client), afterCommit: (action) => actions.push(action) })
  await begun
  const committed = client.query('commit')
  // It travels with the commit, and is of the same session: no other server than the one that committed.
  const position = positions && readPosition(client)
  const { command } = await committed
  requireCommit(command)
  if (position) positions.push(await position)
  return result
}

/**
 * Of statements that were sent together, those after the one that failed are told only that the transaction is aborted
 * (25P02), and may be heard first: everybody is told of the first failure.
 */
function rowsWithin(client: pg.PoolClient): Queries['rows'] {
  let first: unknown
  return async <Row>(statement: Statement<Row>) => {
    const { rows } = await client.query(statement).catch((error) => {
      first ??= error
      throw codeOf(error) === '25P02' ? first : error
    })
    return rows as Row[]
  }
}

function requireCommit(command: string) {
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back by PostgreSQL')
}

export const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code

/** Whether `error` is the violation of that constraint (a unique key, a foreign key, a check). */
export const violates = (error: unknown, constraint: string): boolean =>
  (error as { constraint?: string } | undefined)?.constraint === constraint
