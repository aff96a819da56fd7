import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { untilAborted } from '../runtime/until-aborted.ts'
import { type Connection, hostsOf } from './connection.ts'
import { codeOf, isFull, isUnavailable } from './postgres-error.ts'
import { createPrimary, type Primary } from './primary.ts'
import { whileFull } from './while-full.ts'

const retryEveryMs = 500
const statementTimeoutMs = 5_000
/** A pooler may hand out its idle connections in any order, so one check may miss a change. */
const holders = 3

export type Say = (line: string) => void

/**
 * Waits at most `waitMs` for a server that takes writes, and logs once what it waits for. Throws an error of one readable
 * line when there is none by then, and at once when waiting cannot help or behind a pooler in transaction mode. `setting`: where its
 * address stands. `signal` ends the wait at once.
 */
export async function awaitServer(
  connection: Connection,
  waitMs: number,
  say: Say,
  { setting, signal }: { setting?: string; signal?: AbortSignal | undefined } = {},
) {
  const primary = createPrimary(connection)
  const until = performance.now() + waitMs
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await untilAborted(requireSessions(primary), signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (!isUnavailable(error) || performance.now() >= until) throw readable(error, setting)
      if (isFirst)
        say(
          `Waiting for the database at ${hostsOf(connection)}, at most ${Math.round(waitMs / 1000)} s: ${reasonOf(error)}`,
        )
      await wait(retryEveryMs, undefined, { signal })
    }
  }
}

/**
 * Settings, locks and LISTEN belong to a session. A pooler in transaction mode gives a session without an open transaction
 * another backend while others hold theirs; one in statement mode refuses `begin`.
 */
async function requireSessions(primary: Primary) {
  const clients: pg.Client[] = []
  const connect = async () => {
    const client = await primary.connect({ settings: { statementTimeoutMs } })
    clients.push(client)
    return client
  }
  try {
    const own = await whileFull(connect)
    const backend = await backendOf(own)
    for (let left = holders; left > 0; left--) {
      const holder = await connect().catch(unlessFull)
      // What the processes leave to others is little, and a pooler lets its clients wait.
      if (!holder) return
      await begin(holder)
      if ((await backendOf(own)) !== backend) throw new Error(transactionMode)
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

function unlessFull(error: unknown): undefined {
  if (!isFull(error)) throw error
}

const transactionMode =
  'database: a pooler in transaction or statement mode stands before it; Signet needs sessions (PgBouncer: pool_mode = session)'

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

const begin = (client: pg.Client) =>
  client.query('begin; select pg_backend_pid()').catch((error) => {
    throw codeOf(error) === '08P01' ? new Error(transactionMode) : error
  })

/** When a name has several addresses, the error for all of them together has no message. */
const reasonOf = (error: unknown): string => (error as Error).message || (codeOf(error) ?? 'no answer')

const adviceFor = (setting: string): Record<string, string> => ({
  '28P01': `check user and password in ${setting}`,
  '28000': 'pg_hba.conf of the server has no entry for this user, database, address or sslmode',
  '53300':
    'its processes, commands and other users have all connections; docs/operate/connections.md counts what Signet needs',
  '3D000': `create it, owned by the role in ${setting}`,
  '3F000': 'the search_path of the role names no schema; it must name the one that Signet may create its tables in',
  '42501': 'the role must own its database: alter database … owner to …',
})

/** One line with the server's message and what to do about it. */
export function readable(error: unknown, setting = 'DATABASE_URL'): Error {
  const hint = adviceFor(setting)[codeOf(error) ?? '']
  const message = reasonOf(error)
  return new Error(`${message.startsWith('database: ') ? '' : 'database: '}${message}${hint ? `; ${hint}` : ''}`, {
    cause: error,
  })
}
