import type { SecureContext } from 'node:tls'
import { type Connection, type ConnectionUser, openConnection } from './connection.ts'
import type { Families } from './race-addresses.ts'
import { requestError } from './request-error.ts'

/** Where a connection leads, and which requests may share it, one after the other. */
type Purpose = {
  url: URL
  /** What arrives late for one request would be read as the answer to the next: both are of one organization. */
  keptFor: string
  needsBody: boolean
}

export type Connections = {
  /**
   * The idle connection of this purpose that was used last. It is the caller's until it is released or discarded, and opens
   * after one turn of the event loop: by then anything received after the previous response has arrived and ended it.
   */
  takeIdle(purpose: Purpose, user: ConnectionUser): Connection | undefined
  /** A new connection. No callback of `user` runs before either method returns. */
  open(purpose: Purpose, user: ConnectionUser): Connection
  /** `purpose`: that for which it was taken or opened. */
  release(connection: Connection, purpose: Purpose, keepAliveMs: number): void
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

const nameOf = ({ url, keptFor, needsBody }: Purpose) => `${needsBody} ${keptFor} ${url.origin}`

const noUser: ConnectionUser = { onOpen: () => {}, onData: () => {}, onEnd: () => {} }

/** Keeps connections for the next request. Anything received on an idle connection is unsolicited and ends it. */
export function createConnections({ secureContext, addressesOf, maxConnections }: Options): Connections {
  const all = new Set<Connection>()
  /** Longest idle first. */
  const idle = new Map<Connection, { purpose: string; timer: NodeJS.Timeout }>()
  /** The same by purpose, last used last. */
  const idleByPurpose = new Map<string, Connection[]>()

  const unlist = (connection: Connection) => {
    const listed = idle.get(connection)
    if (!listed) return
    clearTimeout(listed.timer)
    idle.delete(connection)
    const alike = idleByPurpose.get(listed.purpose) ?? []
    alike.splice(alike.lastIndexOf(connection), 1)
    if (alike.length === 0) idleByPurpose.delete(listed.purpose)
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
    takeIdle: (purpose, user) => {
      const connection = idleByPurpose.get(nameOf(purpose))?.at(-1)
      if (!connection) return undefined
      unlist(connection)
      connection.user = user
      setImmediate(() => connection.user === user && user.onOpen())
      return connection
    },
    open: ({ url, needsBody }, user) => {
      discardLongestIdle()
      const options = { url, families: addressesOf(url), secureContext, needsTlsEnd: needsBody }
      const connection = openConnection(options, user)
      all.add(connection)
      return connection
    },
    release: (connection, purpose, keepAliveMs) => {
      const ms = Math.min(idleMs, keepAliveMs - travelMs)
      if (ms <= 0) return discard(connection)
      const end = () => discard(connection)
      connection.user = { ...noUser, onData: end, onEnd: end }
      const name = nameOf(purpose)
      idle.set(connection, { purpose: name, timer: setTimeout(end, ms) })
      const alike = idleByPurpose.get(name)
      if (alike) alike.push(connection)
      else idleByPurpose.set(name, [connection])
    },
    discard,
    close: () => {
      for (const connection of all) connection.destroy(requestError('stopped'))
    },
  }
}
