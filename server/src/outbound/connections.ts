import type { SecureContext } from 'node:tls'
import { type Connection, type ConnectionUser, openConnection } from './connection.ts'
import type { Families } from './race-addresses.ts'
import { requestError } from './request-error.ts'

export type Connections = {
  /**
   * The one to this origin that was used last, if one is kept. It is the caller's until it is given back or discarded, and
   * open after one turn of the event loop: by then all has come that came behind the answer before.
   */
  takeKept(url: URL, user: ConnectionUser): Connection | undefined
  /** A new one. The user of either is told nothing before this returns. */
  open(url: URL, user: ConnectionUser): Connection
  /** It may be idle for so long. */
  giveBack(connection: Connection, keptMs: number): void
  discard(connection: Connection): void
  /** Those in use end with `stopped`. */
  close(): void
}

type Options = {
  secureContext: SecureContext
  addressesOf: (url: URL) => Families
  /** Idle ones included. Who takes more at once gets them, and then none is kept. */
  maxConnections: number
}

/** Less than the five seconds after which common servers hang up on an idle connection: a request may cross with that. */
const idleMs = 4_000
/** Before the end of the time that a receiver gives itself: the request has to be there by then. */
const onTheWayMs = 1_000

const nobody: ConnectionUser = { onOpen: () => {}, onData: () => {}, onEnd: () => {} }

/** Keeps connections for the next call. What comes on one that is idle was not asked for, and ends it. */
export function createConnections({ secureContext, addressesOf, maxConnections }: Options): Connections {
  const all = new Set<Connection>()
  /** The longest idle first. */
  const idle = new Map<Connection, NodeJS.Timeout>()
  /** The same by origin, the last used last. */
  const idleByOrigin = new Map<string, Connection[]>()

  const unlist = (connection: Connection) => {
    clearTimeout(idle.get(connection))
    idle.delete(connection)
    const sameOrigin = idleByOrigin.get(connection.origin) ?? []
    const index = sameOrigin.lastIndexOf(connection)
    if (index >= 0) sameOrigin.splice(index, 1)
    if (sameOrigin.length === 0) idleByOrigin.delete(connection.origin)
  }
  const discard = (connection: Connection) => {
    unlist(connection)
    all.delete(connection)
    connection.user = nobody
    connection.destroy()
  }
  const makeRoom = () => {
    const [longestIdle] = idle.keys()
    if (all.size >= maxConnections && longestIdle) discard(longestIdle)
  }

  return {
    takeKept: (url, user) => {
      const connection = idleByOrigin.get(url.origin)?.at(-1)
      if (!connection) return undefined
      unlist(connection)
      connection.user = user
      setImmediate(() => connection.user === user && user.onOpen())
      return connection
    },
    open: (url, user) => {
      makeRoom()
      const connection = openConnection(url, addressesOf(url), secureContext, user)
      all.add(connection)
      return connection
    },
    giveBack: (connection, keptMs) => {
      const ms = Math.min(idleMs, keptMs - onTheWayMs)
      if (ms <= 0) return discard(connection)
      const end = () => discard(connection)
      connection.user = { ...nobody, onData: end, onEnd: end }
      idle.set(connection, setTimeout(end, ms))
      const sameOrigin = idleByOrigin.get(connection.origin)
      if (sameOrigin) sameOrigin.push(connection)
      else idleByOrigin.set(connection.origin, [connection])
    },
    discard,
    close: () => {
      for (const connection of all) connection.destroy(requestError('stopped'))
    },
  }
}
