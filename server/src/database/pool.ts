import pg from 'pg'
import { unavailable } from '../errors.ts'
import { isUnavailable, poolExhausted } from './postgres-error.ts'
import type { ConnectionSettings, Primary } from './primary.ts'

/** How long a request may wait for a connection before it is told to try again. */
const connectionWaitMs = 5_000
/** A connection that was not used for so long is closed: more than a minute, the interval of most work in the background. */
const idleMs = 75_000
/** After PostgreSQL should have ended a statement by itself. */
const answerWaitMs = 1_000

export type PoolCounts = { inUse: number; idle: number; waiting: number }

export type Pool = {
  /** Runs `work` on a connection of its own; one that failed is rolled back, or given up. */
  withConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result>
  counts(): PoolCounts
  close(): Promise<void>
}

export function openPool(primary: Primary, max: number, settings: ConnectionSettings): Pool {
  const pool = new pg.Pool({
    Client: primary.Client,
    settings,
    max,
    pipeline: true,
    connectionTimeoutMillis: Math.max(connectionWaitMs, primary.connectTimeoutMs),
    idleTimeoutMillis: idleMs,
    // A peer that was lost without a word stops nothing: whoever waits for it is told, and the connection is given up.
    query_timeout: settings.statementTimeoutMs + answerWaitMs,
  } as unknown as pg.PoolConfig)
  // A connection that PostgreSQL closed is replaced at the next use; without a listener the process would end.
  pool.on('error', () => {})

  const inUse = new Set<pg.PoolClient>()

  /** Each failure is of one candidate, or says that all connections are in use. */
  const connect = async (): Promise<pg.PoolClient> => {
    for (let left = primary.candidates; ; left--) {
      try {
        return await pool.connect()
      } catch (error) {
        if (left > 1 && pool.totalCount < max) continue
        primary.notConnected(isExhausted(error) ? allInUse() : error)
        throw unavailable()
      }
    }
  }

  /** Every pooled connection may be outdated. */
  const acquire = async (): Promise<pg.PoolClient> => {
    for (let left = max; ; left--) {
      const client = await connect()
      if (left === 0 || !primary.isOutdated(client)) return client
      client.release(true)
    }
  }

  /** They would stay open until they were idle for long; what is in use may wait for a server that is gone. */
  const closeOutdated = async () => {
    for (const client of inUse) if (primary.isOutdated(client)) destroy(client)
    for (let left = pool.idleCount; left > 0 && pool.idleCount > 0; left--) {
      const client = await pool.connect()
      client.release(primary.isOutdated(client))
    }
  }
  primary.onSwitch(() => void closeOutdated().catch(() => {}))

  return {
    withConnection: async (work) => {
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
        client.release(broken)
      }
    },
    counts: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  }
}

/** Whether anything is open or not. */
const rollBack = (client: pg.PoolClient): Promise<Error | undefined> =>
  client.query('rollback').then(
    () => undefined,
    (failure: Error) => failure,
  )

/** The pool's own words for a wait of `connectionWaitMs`. */
const isExhausted = (error: unknown) => (error as Error).message === 'timeout exceeded when trying to connect'

const allInUse = () =>
  Object.assign(new Error('all connections of this process are in use; SIGNET_DATABASE_CONNECTIONS is their number'), {
    code: poolExhausted,
  })

/** Its statements fail at once, as those of a connection that was lost. */
const destroy = (client: pg.PoolClient) => (client as unknown as pg.Client).connection.stream.destroy()
