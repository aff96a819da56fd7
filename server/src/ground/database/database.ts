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
  withinTransaction,
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
   * Runs `work` in one transaction that everything takes part in which `work` asks of this database: its reads, its statements and its
   * transactions, whose commit is that of the whole.
   */
  together<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Whether the caller is within `together`. */
  isTogether(): boolean
  /** Runs `work` once what was done before is committed: at once, but within `together` after its commit, and before it resolves. */
  onceCommitted(work: () => Promise<void>): Promise<void>
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

/** `isOpen`: what outlives the call in whose async context it began has connections of its own again. */
type Whole = { tx: Transaction; isOpen: boolean; afterwards: (() => Promise<void>)[] }

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
  // Context of `together` and `withPositions`, so that slices need not pass on what few requests use.
  const wholes = new AsyncLocalStorage<Whole>()
  const collected = new AsyncLocalStorage<Positions>()
  const whole = () => {
    const found = wholes.getStore()
    return found?.isOpen ? found : undefined
  }
  const withinWhole = (queries: Queries): Queries => ({
    rows: (statement) => (whole()?.tx ?? queries).rows(statement),
  })
  const pages = readingOn({ withConnection: (work) => (sizes.pages > 0 ? ownPages : pool).withConnection(work) })
  const reads: Queries = { rows: (statement) => (sizes.reads > 0 ? reader : readingOn(pool)).rows(statement) }
  const alone = ownTransactions(pool)
  // Where nothing is traced, no transaction pays for a second `tx`.
  const ownTransaction: Database['transaction'] = (work) =>
    tracer.within(transactionWork, () =>
      transact(pool, (tx) => work(tracer === untraced ? tx : { ...tx, ...traced(tx, tracer) }), collected.getStore()),
    )
  const transaction: Database['transaction'] = (work) => {
    const joined = whole()
    return joined ? withinTransaction(joined.tx, work) : ownTransaction(work)
  }
  const single = traced(alone, tracer)
  const write: Queries = withinWhole({
    rows: (statement) =>
      collected.getStore() ? ownTransaction((tx) => tx.last(() => tx.rows(statement))) : single.rows(statement),
  })
  return {
    read: withinWhole(traced(reads, tracer)),
    pages: withinWhole(traced(pages, tracer)),
    write,
    early: (others, one) => early(pool, others, one),
    transaction,
    statement: (work) => (whole() ? transaction(work) : inStatement(write, work)),
    together: async (work) => {
      const afterwards: Whole['afterwards'] = []
      const result = await ownTransaction(async (tx) => {
        const joined = { tx, isOpen: true, afterwards }
        // Of a try that failed.
        afterwards.length = 0
        try {
          return await wholes.run(joined, () => work(tx))
        } finally {
          joined.isOpen = false
        }
      })
      for (const work of afterwards) await work()
      return result
    },
    isTogether: () => whole() !== undefined,
    onceCommitted: async (work) => {
      const joined = whole()
      if (joined) joined.afterwards.push(work)
      else await work()
    },
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
