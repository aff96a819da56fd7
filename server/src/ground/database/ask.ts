import type pg from 'pg'
import { sendNamed, streamOf } from './pg-private.ts'
import type { Statement } from './sql.ts'

export type Queries = {
  /** Runs one statement and gives its rows. */
  rows<Row>(statement: Statement<Row>): Promise<Row[]>
}

/** Runs one statement on a connection, or on one of a pool. */
export async function ask<Row>(on: pg.ClientBase | pg.Pool, statement: Statement<Row>): Promise<Row[]> {
  try {
    return await new Promise((resolve, reject) => {
      sendNamed<Row>(on, statement, (error, result) => (error ? reject(error) : resolve(result.rows)))
    })
  } catch (error) {
    // Makes the stack lead to the caller instead of the socket.
    Error.captureStackTrace(error as Error)
    throw error
  }
}

export const queriesOn = (client: pg.Client | pg.PoolClient): Queries => ({
  rows: (statement) => ask(client, statement),
})

/**
 * Sends all statements of one turn of the event loop in one write. Successive statements, such as those of a transaction,
 * would otherwise be one write each and wake the server as often.
 */
export function writeTogether(client: pg.Client) {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Calls `finish` once all of this process's work under way waits for something, and sends what it sends in the same write. */
export function endTurnWith(client: pg.Client, finish: () => void) {
  const stream = streamOf(client)
  stream.cork()
  process.nextTick(() => {
    finish()
    stream.uncork()
  })
}
