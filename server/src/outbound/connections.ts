import type { SecureContext } from 'node:tls'
import { type Connection, type ConnectionUser, openConnection } from './connection.ts'
import type { Families } from './race-addresses.ts'
import { requestError } from './request-error.ts'

export type Connections = {
  /**
   * The idle connection to this origin that was used last. It is the caller's until it is released or discarded, and opens
   * after one turn of the event loop: by then anything received after the previous response has arrived and ended it.
   */
  takeIdle(url: URL, user: ConnectionUser): Connection | undefined
  /** A new connection. No callback of `user` runs before either method returns. */
  open(url: URL, user: ConnectionUser): Connection
  release(connection: Connection, keepAliveMs: number): void
  discard(connection: Connection): void
  /** Connections in use end with `stopped`. */
  close(): void
}

type Options = {
  secureContext: SecureContext
  addressesOf: (url: URL) => Families
  /** Idle ones included. More are opened when more are needed at once, and then none is kept idle. */
  maxConnections: number
}

/** Less than the five seconds after which common servers hang up on an idle connection: a request may cross with that. */
const idleMs = 4_000
/** Subtracted from the receiver's own keep-alive timeout: the request must arrive before that ends. */
const travelMs = 1_000

const noUser: ConnectionUser = { onOpen: () => {}, onData: () => {}, onEnd: () => {} }

/** Keeps connections for the next request. Anything received on an idle connection is unsolicited and ends it. */
export function createConnections({ secureContext, addressesOf, maxConnections }: Options): Connections {
  const all = new Set<Connection>()
  /** Longest idle first. */
  const idle = new Map<Connection, NodeJS.Timeout>()
  /** The same by origin, last used last. */
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
    connection.user = noUser
    connection.destroy()
  }
  const discardLongestIdle = () => {
    const [longestIdle] = idle.keys()
    if (all.size >= maxConnections && longestIdle) discard(longestIdle)
  }

  return {
    takeIdle: (url, user) => {
      const connection = idleByOrigin.get(url.origin)?.at(-1)
      if (!connection) return undefined
      unlist(connection)
      connection.user = user
      setImmediate(() => connection.user === user && user.onOpen())
      return connection
    },
    open: (url, user) => {
      discardLongestIdle()
      const connection = openConnection(url, addressesOf(url), secureContext, user)
      all.add(connection)
      return connection
    },
    release: (connection, keepAliveMs) => {
      const ms = Math.min(idleMs, keepAliveMs - travelMs)
      if (ms <= 0) return discard(connection)
      const end = () => discard(connection)
      connection.user = { ...noUser, onData: end, onEnd: end }
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
