import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import type { Queries } from './ask.ts'
import type { Connection } from './connection.ts'
import { openPool, type PoolCounts } from './pool.ts'
import { createPrimary, type Primary } from './primary.ts'
import { createReader, type Reader } from './reader.ts'
import type { Planning } from './session-settings.ts'
import {
  type Early,
  early,
  inStatement,
  ownTransactions,
  type Positions,
  readingOn,
  type Transaction,
  transact,
} from './transaction.ts'

export type { Queries, Transaction }

/** Connections for transactions; the reader has one beside them. */
const defaultConnections = 10
/** Longer than the longest consistency timeout (120 s): the request's own deadline always comes first. */
const statementTimeoutMs = 130_000
/** Lists and counts at once in one process, and how long one may take. */
const pageConnections = 4
const pageTimeoutMs = 20_000

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
  /** Of the connections for transactions. */
  connections(): PoolCounts
  close(): Promise<void>
}

type Options = {
  /** How its statements are planned; those of lists and single reads as `work`. */
  planning?: Planning
  /** No statement of a transaction takes longer. */
  timeoutMs?: number
  /** All databases of a process share one. */
  primary?: Primary
}

pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 beyond the safe integers')
  return value
})

export function openDatabase(
  connection: Connection,
  connections = defaultConnections,
  { planning = 'work', timeoutMs = statementTimeoutMs, primary = createPrimary(connection) }: Options = {},
): Database {
  const pool = openPool(primary, connections, { planning, statementTimeoutMs: timeoutMs })
  const pages = openPool(primary, pageConnections, { statementTimeoutMs: pageTimeoutMs })
  const reader: Reader = createReader(primary)
  const alone = ownTransactions(pool)
  // Of whoever began `withPositions`: no slice has to pass on what only a few requests ask for.
  const asked = new AsyncLocalStorage<Positions>()
  const transaction: Database['transaction'] = (work) => transact(pool, work, asked.getStore())
  const write: Queries = {
    rows: (statement) => (asked.getStore() ? transaction((tx) => tx.rows(statement)) : alone.rows(statement)),
  }
  return {
    read: reader,
    pages: readingOn(pages),
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
    connections: pool.counts,
    close: async () => {
      await Promise.all([pool.close(), pages.close(), reader.close()])
    },
  }
}
