import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { createReader, type Reader } from './reader.ts'
import {
  type Early,
  early,
  inStatement,
  onOneOf,
  type Positions,
  type Queries,
  type Transaction,
  transact,
} from './transaction.ts'

export type { Queries, Transaction }

/** Connections for transactions; the reader has one beside them. */
const defaultConnections = 10
/** How long a request may wait for a connection before it is told to try again. */
const connectionWaitMs = 5_000
/** A connection that was not used for so long is closed. */
const idleMs = 10_000
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

export type Database = {
  /** Reads outside a transaction: one connection shared by all callers, pipelined. Never for writes. */
  read: Queries
  /** Lists and counts: a few connections of their own, so that one organization's large pages hold up no point reads. */
  pages: Queries
  /** One statement that is its own transaction. */
  write: Queries
  /**
   * Sends the statements of `others`, then the transaction of `one`, on one connection and without waiting in between, so that
   * `one` sees what `others` wrote. Gives its result before the commit is on disk: nobody outside this process is to be told of it
   * before `committed`. Both send before their first `await`.
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

pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 beyond the safe integers')
  return value
})

/** The standing options are added to those of `given`; no statement takes longer than `timeoutMs`. */
export function openDatabase(
  given: pg.ClientConfig,
  connections = defaultConnections,
  timeoutMs = statementTimeoutMs,
): Database {
  const connection = { ...given, options: `${given.options ?? ''} ${planning}` }
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
    connectionTimeoutMillis: connectionWaitMs,
    idleTimeoutMillis: idleMs,
    statement_timeout: timeoutMs,
    // A peer that was lost without a word stops nothing: whoever waits for it is told, and the connection is given up.
    query_timeout: timeoutMs + answerWaitMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  })
  // A connection that PostgreSQL closed is replaced at the next use; without listeners the process would end. The connection's
  // own is there from the start: whoever takes it from the pool has it a moment after the pool has let go of it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
