import pg from 'pg'
import type { Statement } from './sql.ts'

export type Queries = {
  /** Runs one statement and gives its rows. */
  rows<Row>(statement: Statement<Row>): Promise<Row[]>
}

type Answered<Row> = (error: Error | undefined, result: { rows: Row[] }) => void
type Asked<Row> = (query: object, values: undefined, answered: Answered<Row>) => void

/**
 * Runs one statement on a connection, or on one of a pool. The client makes a slow copy of what it is asked with, but not
 * of a `Query` (25 µs of CPU a statement, and 19 with this).
 */
export async function ask<Row>(on: pg.Client | pg.Pool, { name, text, values }: Statement<Row>): Promise<Row[]> {
  const query = Object.assign(new pg.Query(text, values), { name })
  const send = on.query.bind(on) as unknown as Asked<Row>
  try {
    return await new Promise((resolve, reject) => {
      send(query, undefined, (error, result) => (error ? reject(error) : resolve(result.rows)))
    })
  } catch (error) {
    // Its stack leads back to who asked, not to the socket.
    Error.captureStackTrace(error as Error)
    throw error
  }
}

/** Statements on that connection alone. */
export const queriesOn = (client: pg.Client | pg.PoolClient): Queries => ({
  rows: (statement) => ask(client as pg.Client, statement),
})

/**
 * What is sent to PostgreSQL within one turn of the event loop goes out in one write. Statements that follow each other,
 * as those of a transaction do, would else be one write each, and wake the other side as often.
 */
export function writeTogether({ connection: { stream } }: pg.Client) {
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}
