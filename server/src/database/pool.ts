import pg from 'pg'
import { unavailable } from '../errors.ts'
import { isUnavailable } from './postgres-error.ts'
import type { Primary, Session } from './primary.ts'

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

export function openPool(primary: Primary, max: number, session: Session): Pool {
  const pool = new pg.Pool({
    Client: primary.Client,
    max,
    pipeline: true,
    connectionTimeoutMillis: connectionWaitMs,
    idleTimeoutMillis: idleMs,
    // A peer that was lost without a word stops nothing: whoever waits for it is told, and the connection is given up.
    query_timeout: session.statementTimeoutMs + answerWaitMs,
    onConnect: (client) => primary.setUp(client as pg.Client, session),
  } as pg.PoolConfig)
  // A connection that PostgreSQL closed is replaced at the next use; without listeners the process would end. The connection's
  // own is there from the start: whoever takes it from the pool has it a moment after the pool has let go of it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  /** Each failure is of one candidate, or says that all connections are in use. */
  const connect = async (): Promise<pg.PoolClient> => {
    for (let left = primary.candidates; ; left--) {
      try {
        return await pool.connect()
      } catch (error) {
        if (left > 1 && pool.totalCount < max) continue
        primary.notConnected(error)
        throw unavailable()
      }
    }
  }

  /** As often as there can be connections that are outdated. */
  const acquire = async (): Promise<pg.PoolClient> => {
    for (let left = max; ; left--) {
      const client = await connect()
      if (left === 0 || !primary.isOutdated(client as unknown as pg.Client)) return client
      client.release(true)
    }
  }

  return {
    withConnection: async (work) => {
      const client = await acquire()
      let broken: Error | undefined
      try {
        return await work(client)
      } catch (error) {
        primary.note(error)
        broken = isUnavailable(error) ? (error as Error) : await rollBack(client)
        throw error
      } finally {
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
