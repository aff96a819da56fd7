import { setTimeout as sleep } from 'node:timers/promises'
import { allot } from '../ground/database/allotment.ts'
import type { Connection } from '../ground/database/connection.ts'
import { holdProcessLock } from '../ground/database/connection-limits.ts'
import { type Database, openDatabase, type Queries } from '../ground/database/database.ts'
import type { Primary } from '../ground/database/primary.ts'
import type { Tracer } from '../ground/runtime/tracer.ts'
import { untilAborted } from '../ground/runtime/until-aborted.ts'
import type { Config } from './config.ts'
import { allotConnections, type Connections, wishesOf } from './connections.ts'

/** Shorter than a lease: a worker whose statement hangs goes on before others may take its deliveries. */
const workerStatementMs = 10_000
const holdAgainMs = 500

type Parts = {
  config: Config
  isAlone: boolean
  primary: Primary
  log: { warn(fields: object, message: string): void }
  tracer: Tracer
  onError: (error: unknown) => void
  /** Ends what the start waits for. */
  signal: AbortSignal | undefined
}

/** Those of requests, of delivery and of event streams. Delivery has its first connections before anything else asks for one. */
export async function openDatabases(connection: Connection, parts: Parts) {
  const { config, isAlone, primary, log, tracer, onError, signal } = parts
  const wishes = wishesOf(config, { isAlone })
  let allotted: Connections = allot(wishes, 0)
  const sizes = { transactions: wishes.requests.least, reads: 1, pages: 1 }
  const queue = { primary, planning: 'queue', timeoutMs: workerStatementMs } as const
  const database = openDatabase(connection, sizes, { primary, tracer, setUpReads: holdProcessLock })
  const worker = openDatabase(connection, { ...sizes, reads: 0 }, queue)
  const follow = openDatabase(connection, sizes, { primary })
  const apply = (connections: Connections) => {
    allotted = connections
    const { requests, lists, delivery, deliveryReads, streams } = connections
    database.resize({ transactions: requests, pages: lists })
    worker.resize({ transactions: delivery, reads: deliveryReads })
    follow.resize({ pages: streams })
  }
  const pagesOfStreams: Queries = {
    rows: (statement) => (allotted.streams > 0 ? follow : database).pages.rows(statement),
  }
  try {
    const { line, stop } = await allotConnections({ read: database.read, primary, wishes, apply, log, onError })
    await untilAborted(holdFirst(worker, wishes.delivery.least, config.databaseWaitMs), signal)
    return {
      database,
      workerDatabase: { ...worker, pages: database.pages },
      followDatabase: { ...follow, pages: pagesOfStreams },
      connections: { line, stop, of: (part: keyof Connections) => allotted[part] },
    }
  } catch (error) {
    await Promise.all([database, worker, follow].map(({ close }) => close()))
    throw error
  }
}

/** Where others have everything, it waits until they have given some of theirs to this process. */
async function holdFirst(worker: Database, count: number, waitMs: number) {
  for (const giveUpAt = performance.now() + waitMs; ; await sleep(holdAgainMs)) {
    try {
      return await worker.hold(count)
    } catch (error) {
      if (performance.now() < giveUpAt) continue
      throw new Error(`database: it gives delivery no ${count} connections; signet doctor counts them`, {
        cause: error,
      })
    }
  }
}
