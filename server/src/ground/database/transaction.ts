import type pg from 'pg'
import { ask, endTurnWith, type Queries, queriesOn, writeTogether } from './ask.ts'
import { beginReported, type LogPosition, readPosition } from './log-position.ts'
import type { Pool } from './pool.ts'
import { codeOf, isUnavailable, markUncertain } from './postgres-error.ts'
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
  /** Runs `action` with the error when the transaction failed or its commit is uncertain. It must not throw. */
  afterFailure(action: (error: unknown) => void): void
  /**
   * `send` sends the last statements, and `commit` goes along with them: PostgreSQL does not wait for this process in between. Only for
   * statements whose answers decide nothing; one that fails rolls back all. They must be sent before `send` waits for anything, and
   * what throws by then commits nothing.
   */
  last<Result>(send: () => Promise<Result>): Promise<Result>
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
  return withHooks((hooks) => work({ rows, last: (send) => send(), ...hooks }))
}

const command = (text: string): Statement<never> => ({ name: '', text, values: [] })

/** `work` as a part of `tx`, which goes on where it fails: what it has done is taken back, and its actions are those of a failure. */
export async function withinTransaction<Result>(
  tx: Transaction,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  // Not awaited here, so that it travels with the first statement. Its failure is that of the statements after it.
  tx.rows(command('savepoint part')).catch(() => {})
  const { result, committed, failed } = await collectHooks((hooks) =>
    work({ rows: tx.rows, last: (send) => send(), ...hooks }).catch(async (error) => {
      await tx.rows(command('rollback to savepoint part')).catch(() => {})
      throw error
    }),
  )
  for (const action of committed) tx.afterCommit(action)
  for (const action of failed) tx.afterFailure(action)
  return result
}

/** Calls `run`, then the actions that it registered for its commit or its failure. */
async function withHooks<Result>(run: (hooks: Hooks) => Promise<Result>): Promise<Result> {
  const { result, committed } = await collectHooks(run)
  for (const action of committed) action()
  return result
}

/** Calls `run`, and gives the actions that it registered. Where it fails, those for a failure have run. */
async function collectHooks<Result>(run: (hooks: Hooks) => Promise<Result>) {
  const committed: (() => void)[] = []
  const failed: ((error: unknown) => void)[] = []
  const hooks: Hooks = {
    afterCommit: (action) => committed.push(action),
    afterFailure: (action) => failed.push(action),
  }
  const result = await run(hooks).catch((error) => {
    for (const action of failed) action(error)
    throw error
  })
  return { result, committed, failed }
}

const tryTransaction = <Result>(
  pool: Pool,
  work: (tx: Transaction) => Promise<Result>,
  positions: Positions | undefined,
): Promise<Result> =>
  withHooks(async (hooks) => {
    const ended = await pool.withConnection((client) => inTransaction(client, work, hooks, positions))
    if ('failure' in ended) throw ended.failure
    return ended.result
  })

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

/** `failure`: PostgreSQL has rolled back and answered so; the connection has no transaction open. */
type Ended<Result> = { result: Result } | { failure: unknown }

async function inTransaction<Result>(
  client: pg.PoolClient,
  work: (tx: Transaction) => Promise<Result>,
  hooks: Hooks,
  positions: Positions | undefined,
): Promise<Ended<Result>> {
  let answered: Promise<string> | undefined
  const commit = () => (answered ??= sendCommit(client, positions))
  const rows = rowsWithin(client, () => answered !== undefined)
  const last: Transaction['last'] = (send) => sendLast(client, send, commit)
  // Not awaited here, so that `begin` travels with the first statement (7,328 instead of 5,871 transactions/s).
  writeTogether(client)
  const begun = client.query(positions ? beginReported : 'begin')
  begun.catch(() => {})
  try {
    const result = await work({ rows, last, ...hooks })
    await begun
    requireCommit(await commit())
    return { result }
  } catch (failure) {
    if (!answered) throw failure
    // Rejects where the connection is lost: then the commit is uncertain, whichever statement failed by that.
    await answered
    if (isUnavailable(failure)) throw failure
    return { failure }
  }
}

/** Nothing is committed without a statement that could not be made: what `send` throws before it waits is seen by the end of the turn. */
async function sendLast<Result>(client: pg.PoolClient, send: () => Promise<Result>, commit: () => Promise<string>) {
  let isWhole = true
  endTurnWith(client, () => {
    if (isWhole) commit().catch(() => {})
  })
  try {
    return await send()
  } catch (error) {
    isWhole = false
    throw error
  }
}

/** Gives the command that PostgreSQL says it has run: `ROLLBACK` where a statement had failed. */
async function sendCommit(client: pg.PoolClient, positions: Positions | undefined): Promise<string> {
  const committed = client.query('commit').catch(throwUncertain)
  // Read in the session of the commit, and sent along with it, so that it is certainly the same server.
  const position = positions && readPosition(client)
  const { command } = await committed
  if (position && command === 'COMMIT') positions.push(await position)
  return command
}

/**
 * When statements are sent together, those after a failed one only report an aborted transaction (25P02), possibly before
 * the cause is seen. All of them throw the first failure instead.
 */
function rowsWithin(client: pg.PoolClient, isOver: () => boolean): Queries['rows'] {
  let first: unknown
  return async (statement) => {
    if (isOver()) throw new Error('a statement after the last ones of its transaction')
    writeTogether(client)
    return ask(client, statement).catch((error) => {
      first ??= error
      throw codeOf(error) === '25P02' ? first : error
    })
  }
}

function requireCommit(command: string) {
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back by PostgreSQL')
}
