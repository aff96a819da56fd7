import type pg from 'pg'
import { ask, type Queries, queriesOn, writeTogether } from './ask.ts'
import { beginReported, type LogPosition, readPosition } from './log-position.ts'
import type { Pool } from './pool.ts'
import { codeOf, markUncertain } from './postgres-error.ts'
import { type Statement, sql } from './sql.ts'

/** How often a transaction is tried after a serialization failure or deadlock. */
const maxTries = 5
/** A position was refused because PostgreSQL has started, or the database is another copy, since the last one: see the migration of positions. */
const epochNotEntered = 'SG001'
const tryAgainCodes = new Set(['40001', '40P01', epochNotEntered])

export const enterEpoch = (queries: Queries) => queries.rows(sql`select enter_epoch()`)

export type Transaction = Queries & {
  /** Runs `action` after the commit, and never otherwise. It must not throw. */
  afterCommit(action: () => void): void
  /** Runs `action` when the transaction failed or its commit is uncertain. It must not throw. */
  afterFailure(action: () => void): void
}

type Hooks = Pick<Transaction, 'afterCommit' | 'afterFailure'>

export type Early<Result> = { result: Result; committed: Promise<void> }

/** The log position after each commit. */
export type Positions = (LogPosition | undefined)[]

export async function transact<Result>(
  pool: Pool,
  work: (tx: Transaction) => Promise<Result>,
  positions: Positions | undefined,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(pool, work, positions)
    } catch (error) {
      if (attempt === maxTries || !tryAgainCodes.has(codeOf(error) ?? '')) throw error
      if (codeOf(error) === epochNotEntered) await enterEpoch(readingOn(pool))
    }
  }
}

/** Each statement is a transaction of its own. */
export const ownTransactions = (pool: Pool): Queries => ({
  rows: async (statement) => {
    const run = () => pool.withConnection((client) => ask(client, statement).catch(throwUncertain))
    return run().catch(async (error) => {
      if (codeOf(error) !== epochNotEntered) throw error
      await enterEpoch(readingOn(pool))
      return run()
    })
  },
})

/** The same for reads, whose errors are never uncertain commits. */
export const readingOn = (pool: Pick<Pool, 'withConnection'>): Queries => ({
  rows: (statement) => pool.withConnection((client) => ask(client, statement)),
})

function throwUncertain(error: unknown): never {
  markUncertain(error)
  throw error
}

export async function inStatement<Result>(
  queries: Queries,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  let isMade = false
  const rows = <Row>(statement: Statement<Row>) => {
    if (isMade) throw new Error('a second statement needs a transaction')
    isMade = true
    return queries.rows(statement)
  }
  return withHooks((hooks) => work({ rows, ...hooks }))
}

/** Calls `run`, then the actions that it registered for its commit or its failure. */
async function withHooks<Result>(run: (hooks: Hooks) => Promise<Result>): Promise<Result> {
  const committed: (() => void)[] = []
  const failed: (() => void)[] = []
  let actions = failed
  try {
    const result = await run({
      afterCommit: (action) => committed.push(action),
      afterFailure: (action) => failed.push(action),
    })
    actions = committed
    return result
  } finally {
    for (const action of actions) action()
  }
}

const tryTransaction = async <Result>(
  pool: Pool,
  work: (tx: Transaction) => Promise<Result>,
  positions: Positions | undefined,
): Promise<Result> =>
  withHooks((hooks) => pool.withConnection((client) => inTransaction(client, work, hooks, positions)))

export function early<Result>(
  pool: Pool,
  others: (queries: Queries) => unknown,
  one: (queries: Queries) => Promise<Result>,
): Promise<Early<Result>> {
  const { promise, resolve, reject } = Promise.withResolvers<Early<Result>>()
  const committed: Promise<void> = pool.withConnection(async (client) => {
    const queries = queriesOn(client)
    writeTogether(client)
    others(queries)
    const begun = client.query('begin')
    const outcome = one(queries)
    const ended = client.query('commit')
    outcome.then((result) => resolve({ result, committed }), reject)
    const [{ command }] = await Promise.all([ended, begun, outcome])
    requireCommit(command)
  })
  committed.catch(reject)
  return promise
}

async function inTransaction<Result>(
  client: pg.PoolClient,
  work: (tx: Transaction) => Promise<Result>,
  hooks: Hooks,
  positions: Positions | undefined,
): Promise<Result> {
  // Not awaited here, so that `begin` travels with the first statement (7,328 instead of 5,871 transactions/s).
  writeTogether(client)
  const begun = client.query(positions ? beginReported : 'begin')
  begun.catch(() => {})
  const result = await work({ rows: rowsWithin(client), ...hooks })
  await begun
  const committed = client.query('commit').catch(throwUncertain)
  // Read in the session of the commit, and sent along with it, so that it is certainly the same server.
  const position = positions && readPosition(client)
  const { command } = await committed
  requireCommit(command)
  if (position) positions.push(await position)
  return result
}

/**
 * When statements are sent together, those after a failed one only report an aborted transaction (25P02), possibly before
 * the cause is seen. All of them throw the first failure instead.
 */
function rowsWithin(client: pg.PoolClient): Queries['rows'] {
  let first: unknown
  return (statement) =>
    ask(client, statement).catch((error) => {
      first ??= error
      throw codeOf(error) === '25P02' ? first : error
    })
}

function requireCommit(command: string) {
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back by PostgreSQL')
}
