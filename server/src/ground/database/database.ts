import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { type Tracer, untraced, type Work } from '../runtime/tracer.ts'
import type { Queries } from './ask.ts'
import type { Connection } from './connection.ts'
import { openPool, type PoolCounts } from './pool.ts'
import { createPrimary, type Primary } from './primary.ts'
import { createReader, type Reader } from './reader.ts'
import type { Planning } from './session-settings.ts'
import { traced } from './traced.ts'
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

/** Connections of each kind. Without one of their own, reads and pages go over those of transactions. */
type Sizes = { transactions: number; reads: number; pages: number }

/** Of a service that has all that it can use. `pages`: how many lists and counts run at once in one process. */
const fullSizes: Sizes = { transactions: 10, reads: 1, pages: 4 }
/** For a command beside a service, which may have all but two. */
export const commandSizes: Sizes = { transactions: 2, reads: 0, pages: 0 }
/** Longer than the longest consistency timeout (120 s): the request's own deadline always comes first. */
const statementTimeoutMs = 130_000
/** The time limit of a list or count. */
const pageTimeoutMs = 20_000

export type Database = {
  /** Reads outside a transaction: one connection shared by all callers, pipelined. Never for writes. */
  read: Queries
  /** Lists and counts, on connections of their own: large pages of one organization do not delay point reads. */
  pages: Queries
  /** One statement that is its own transaction. */
  write: Queries
  /**
   * Sends the statements of `others`, then the transaction of `one`, on one connection and without waiting in between, so that
   * `one` sees what `others` wrote. Resolves before the commit is on disk: the result must not leave this process before
   * `committed`. Both functions must send their statements before their first `await`.
   */
  early<Result>(
    others: (queries: Queries) => unknown,
    one: (queries: Queries) => Promise<Result>,
  ): Promise<Early<Result>>
  /** Runs `work` in one transaction and repeats it on a serialization failure, a deadlock, or the first position after a start of PostgreSQL: it must have no other effects. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** The same for exactly one statement, which saves the round trips of begin and commit. */
  statement<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /**
   * Runs `work` and returns its result with the log position after each of its commits, or the current position where there
   * was none. `undefined` is an unknown position: the connection broke just after the commit.
   */
  withPositions<Result>(work: () => Promise<Result>): Promise<{ result: Result; positions: Positions }>
  /** Its connections from now on; those above are closed once they are not in use. */
  resize(sizes: Partial<Sizes>): void
  /** Opens so many connections for transactions, and keeps as many while they are idle. */
  hold(count: number): Promise<void>
  /** Counts of the connections for transactions. */
  connections(): PoolCounts
  close(): Promise<void>
}

type Options = {
  /** Planner settings; lists and single reads always use `work`. */
  planning?: Planning
  /** Statement timeout of transactions. */
  timeoutMs?: number
  /** Shared by all databases of a process. */
  primary?: Primary
  /** Records statements and transactions that are part of a trace. Commands, and what serves no request, have none. */
  tracer?: Tracer
  /** Run first on each connection for reads. */
  setUpReads?: string
}

/** With its wait for a connection, and for the disk. */
const transactionWork: Work = { name: 'transaction', kind: 'internal' }

pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 beyond the safe integers')
  return value
})

export function openDatabase(
  connection: Connection,
  connections: number | Sizes = fullSizes.transactions,
  {
    planning = 'work',
    timeoutMs = statementTimeoutMs,
    primary = createPrimary(connection),
    tracer = untraced,
    setUpReads,
  }: Options = {},
): Database {
  let sizes = typeof connections === 'number' ? { ...fullSizes, transactions: connections } : connections
  const pool = openPool(primary, sizes.transactions, { planning, statementTimeoutMs: timeoutMs })
  const ownPages = openPool(primary, Math.max(1, sizes.pages), { statementTimeoutMs: pageTimeoutMs })
  const reader: Reader = createReader(primary, { ...(setUpReads && { setUp: setUpReads }) })
  const pages = readingOn({ withConnection: (work) => (sizes.pages > 0 ? ownPages : pool).withConnection(work) })
  const reads: Queries = { rows: (statement) => (sizes.reads > 0 ? reader : readingOn(pool)).rows(statement) }
  const alone = ownTransactions(pool)
  // Context of `withPositions`, so that slices need not pass on what few requests use.
  const collected = new AsyncLocalStorage<Positions>()
  // Where nothing is traced, no transaction pays for a second `tx`.
  const transaction: Database['transaction'] = (work) =>
    tracer.within(transactionWork, () =>
      transact(pool, (tx) => work(tracer === untraced ? tx : { ...tx, ...traced(tx, tracer) }), collected.getStore()),
    )
  const single = traced(alone, tracer)
  const write: Queries = {
    rows: (statement) =>
      collected.getStore() ? transaction((tx) => tx.last(() => tx.rows(statement))) : single.rows(statement),
  }
  return {
    read: traced(reads, tracer),
    pages: traced(pages, tracer),
    write,
    early: (others, one) => early(pool, others, one),
    transaction,
    statement: (work) => inStatement(write, work),
    withPositions: async (work) => {
      const positions: Positions = []
      const result = await collected.run(positions, work)
      if (positions.length === 0) await collected.run(positions, () => transaction(async () => {}))
      return { result, positions }
    },
    resize: (next) => {
      sizes = { ...sizes, ...next }
      pool.resize(sizes.transactions)
      ownPages.resize(sizes.pages)
      if (sizes.reads === 0) void reader.rest()
    },
    hold: pool.hold,
    connections: pool.counts,
    close: async () => {
      await Promise.all([pool.close(), ownPages.close(), reader.close()])
    },
  }
}
