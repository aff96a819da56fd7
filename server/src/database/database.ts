import pg from 'pg'
import { unavailable } from '../errors.ts'
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

export type Database = {
  /** Reads outside a transaction: one connection shared by all callers, pipelined. Never for writes. */
  read: Queries
  /** Lists and counts: a few connections of their own, so that one organization's large pages hold up no point reads. */
  pages: Queries
  /** One statement that is its own transaction. */
  write: Queries
  /** Runs `work` in one transaction, again when PostgreSQL asks for it: `work` must have no effect elsewhere. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** The same for work of exactly one statement, which needs no begin and commit: two round trips less. */
  statement<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

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
  return {
    read: reader,
    pages: onOneOf(pages),
    write: onOneOf(pool),
    transaction: (work) => transact(pool, work),
    statement: (work) => inStatement(onOneOf(pool), work),
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

async function transact<Result>(pool: pg.Pool, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(pool, work)
    } catch (error) {
      if (attempt === maxTries || !tryAgainCodes.has(codeOf(error) ?? '')) throw error
    }
  }
}

const onOneOf = (pool: pg.Pool): Queries => ({
  rows: async <Row>(statement: Statement<Row>) => (await pool.query(statement)).rows as Row[],
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

async function tryTransaction<Result>(pool: pg.Pool, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch(() => {
    throw unavailable()
  })
  // A checked-out connection that breaks also rejects the running query; the listener only keeps the process alive.
  const ignore = () => {}
  client.on('error', ignore)
  const actions: (() => void)[] = []
  let broken: Error | undefined
  try {
    const result = await inTransaction(client, work, actions)
    for (const action of actions) action()
    return result
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

async function inTransaction<Result>(
  client: pg.PoolClient,
  work: (tx: Transaction) => Promise<Result>,
  actions: (() => void)[],
): Promise<Result> {
  // Not awaited before the work: it travels with the first statement (7,328 against 5,871 transactions/s measured).
  const begun = client.query('begin')
  begun.catch(() => {})
  const result = await work({
    rows: async <Row>(statement: Statement<Row>) => (await client.query(statement)).rows as Row[],
    afterCommit: (action) => actions.push(action),
  })
  await begun
  const { command } = await client.query('commit')
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back by PostgreSQL')
  return result
}

export const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code

/** Whether `error` is the violation of that constraint (a unique key, a foreign key, a check). */
export const violates = (error: unknown, constraint: string): boolean =>
  (error as { constraint?: string } | undefined)?.constraint === constraint
