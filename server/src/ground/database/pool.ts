import type pg from 'pg'
import { unavailable } from '../errors.ts'
import { createConnectionTurns } from './connection-turns.ts'
import { createDriverPool, isExhausted, limitsOf, streamOf } from './pg-private.ts'
import { isFull, isRefused, isUnavailable, poolExhausted } from './postgres-error.ts'
import type { ConnectionSettings, Primary } from './primary.ts'
import { connectionWaitMs, whileFull } from './while-full.ts'

/** Idle connections are closed after this: longer than a minute, the interval of most background work. */
const idleMs = 75_000
/** Added to the statement timeout, which PostgreSQL enforces itself. */
const answerWaitMs = 1_000

export type PoolCounts = { inUse: number; idle: number; waiting: number }

export type Pool = {
  /** Runs `work` on a connection of its own. After an error the connection is rolled back, or closed when it is broken. */
  withConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result>
  /** From now on it has so many at most. Those above are closed, the ones in use when they are given back. */
  resize(max: number): void
  /** Opens so many, and keeps as many while they are idle. */
  hold(count: number): Promise<void>
  counts(): PoolCounts
  close(): Promise<void>
}

export function openPool(primary: Primary, max: number, settings: ConnectionSettings): Pool {
  const pool = createDriverPool({
    Client: primary.Client,
    settings,
    max,
    pipeline: true,
    connectionTimeoutMillis: Math.max(connectionWaitMs, primary.connectTimeoutMs),
    idleTimeoutMillis: idleMs,
    // A server that vanished silently: waiting callers fail, and the connection is closed.
    query_timeout: settings.statementTimeoutMs + answerWaitMs,
  })
  const limits = limitsOf(pool)
  // The pool replaces a connection that PostgreSQL closed; without a listener the error would end the process.
  pool.on('error', () => {})

  const inUse = new Set<pg.PoolClient>()
  const turns = createConnectionTurns(
    () => limits.max,
    () => primary.notConnected(allInUse()),
  )

  /** Where the server gives no further one, callers wait for those that are open, until `resize`. */
  const beContent = () => {
    limits.max = Math.min(limits.max, Math.max(1, limits.min ?? 0, pool.totalCount))
  }

  /** A password that is being changed on the server and in its file must not fail those who can wait for a connection that is open. */
  const mayWaitFor = (error: unknown) => isFull(error) || (isRefused(error) && pool.totalCount > 0)

  const connectOnce = () =>
    pool.connect().catch((error) => {
      if (mayWaitFor(error)) beContent()
      throw error
    })

  /** A failed attempt concerns one candidate, or means that all connections are in use. */
  const connect = async (): Promise<pg.PoolClient> => {
    for (let left = primary.candidates; ; left--) {
      try {
        return await whileFull(connectOnce, mayWaitFor)
      } catch (error) {
        if (left > 1 && pool.totalCount < limits.max) continue
        primary.notConnected(isExhausted(error) ? allInUse() : error)
        throw unavailable()
      }
    }
  }

  /** Tries once more for each connection of the pool, because all of them may be outdated. */
  const acquire = async (): Promise<pg.PoolClient> => {
    for (let left = limits.max; ; left--) {
      const client = await connect()
      if (left === 0 || !(await primary.isToBeReplaced(client))) return client
      client.release(true)
    }
  }

  /** Idle ones would otherwise stay open for `idleMs`, and those in use may be waiting for a server that is gone. */
  const closeOutdated = async () => {
    for (const client of inUse) if (primary.isOutdated(client)) destroy(client)
    for (let left = pool.idleCount; left > 0 && pool.idleCount > 0; left--) {
      const client = await pool.connect()
      client.release(primary.isOutdated(client))
    }
  }
  primary.onSwitch(() => void closeOutdated().catch(() => {}))

  const isAboveMax = () => pool.totalCount > limits.max

  const closeAboveMax = async () => {
    while (isAboveMax() && pool.idleCount > 0) {
      const client = await pool.connect()
      client.release(isAboveMax())
    }
  }

  const onConnection = async <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> => {
    const client = await acquire()
    inUse.add(client)
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      primary.note(error)
      broken = isUnavailable(error) ? (error as Error) : await rollBack(client)
      throw error
    } finally {
      inUse.delete(client)
      client.release(broken ?? isAboveMax())
    }
  }

  return {
    withConnection: (work) => turns.lend(() => onConnection(work)),
    resize: (next) => {
      limits.max = next
      turns.serve()
      void closeAboveMax().catch(() => {})
    },
    hold: async (count) => {
      limits.min = count
      const held = await Promise.allSettled(Array.from({ length: count }, acquire))
      for (const each of held) if (each.status === 'fulfilled') each.value.release()
      for (const each of held) if (each.status === 'rejected') throw each.reason
    },
    counts: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: turns.waiting() + pool.waitingCount,
    }),
    close: () => pool.end(),
  }
}

/** Also correct when no transaction is open. */
const rollBack = (client: pg.PoolClient): Promise<Error | undefined> =>
  client.query('rollback').then(
    () => undefined,
    (failure: Error) => failure,
  )

const allInUse = () =>
  Object.assign(new Error('all connections of this process are in use; SIGNET_DATABASE_CONNECTIONS is their number'), {
    code: poolExhausted,
  })

/** Makes the running statement fail at once, like a lost connection. */
const destroy = (client: pg.PoolClient) => streamOf(client).destroy()
