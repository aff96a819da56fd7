import { connect as connectPlainly, isIP, type LookupFunction, type Socket } from 'node:net'
import { type ConnectionOptions, connect, type SecureContext, type TLSSocket } from 'node:tls'
import { Client } from 'undici'
import { callError } from './call-error.ts'

/** To one origin, for one call at a time. */
type Connection = {
  origin: string
  client: Client
  /** At once, also while it is being made; a call on it fails with `stopped`. */
  destroy(): Promise<void>
}

export type Connections = {
  /** The one to this origin that was used last, or a new one. It is the caller's until it is given back or discarded. */
  take(url: URL): Connection
  giveBack(connection: Connection): void
  discard(connection: Connection): void
  close(): Promise<void>
}

type Options = {
  secureContext: SecureContext
  lookupFor: (url: URL) => LookupFunction
  /** Idle ones included. Who takes more at once gets them, and then none is kept. */
  maxConnections: number
}

/**
 * Less than the five seconds after which common servers hang up on an idle connection: a request that crosses with that
 * is lost, and tried again only a minute later.
 */
const idleMs = 4_000
/** From one address of a name to the next. Node's own 250 ms would give up a receiver on the other side of the world. */
const nextAddressMs = 1_000

/**
 * Keeps connections for the next call. Each is a client of its own, so that a call can end the connection it waits for:
 * undici's `Agent` leaves a connection in the making to a timeout of its own, and silent receivers would gather them by
 * the thousand, 86 kB each.
 */
export function createConnections({ secureContext, lookupFor, maxConnections }: Options): Connections {
  const open = new Set<Connection>()
  /** The longest idle first. */
  const idle = new Set<Connection>()
  /** The same by origin, the last used last. */
  const idleByOrigin = new Map<string, Connection[]>()

  const unlist = (connection: Connection) => {
    idle.delete(connection)
    const sameOrigin = idleByOrigin.get(connection.origin) ?? []
    const index = sameOrigin.lastIndexOf(connection)
    if (index >= 0) sameOrigin.splice(index, 1)
    if (sameOrigin.length === 0) idleByOrigin.delete(connection.origin)
  }
  const discard = (connection: Connection) => {
    unlist(connection)
    open.delete(connection)
    return connection.destroy()
  }
  const create = (url: URL): Connection => {
    const [longestIdle] = idle
    if (open.size >= maxConnections && longestIdle) discard(longestIdle)
    const connection = createConnection(url, secureContext, lookupFor(url))
    connection.client.on('disconnect', () => idle.has(connection) && discard(connection))
    open.add(connection)
    return connection
  }

  return {
    take: (url) => {
      const connection = idleByOrigin.get(url.origin)?.at(-1)
      if (!connection) return create(url)
      unlist(connection)
      return connection
    },
    giveBack: (connection) => {
      idle.add(connection)
      const sameOrigin = idleByOrigin.get(connection.origin)
      if (sameOrigin) sameOrigin.push(connection)
      else idleByOrigin.set(connection.origin, [connection])
    },
    discard,
    close: async () => {
      await Promise.all([...open].map(discard))
    },
  }
}

/** Of the client's own timers only the idle one runs: a call has one deadline for everything. */
function createConnection(url: URL, secureContext: SecureContext, lookup: LookupFunction): Connection {
  let socket: Socket | undefined
  const client = new Client(url.origin, {
    connect: (_options, done) => {
      socket = url.protocol === 'http:' ? connectTcp(url, lookup, done) : connectTls(url, secureContext, lookup, done)
    },
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
  })
  return {
    origin: url.origin,
    client,
    destroy: () => {
      const destroyed = client.destroy()
      socket?.destroy()
      return destroyed
    },
  }
}

type Done = (...result: [null, Socket] | [Error, null]) => void

const toTarget = ({ hostname, port, protocol }: URL, lookup: LookupFunction) => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: Number(port || (protocol === 'http:' ? 80 : 443)),
  lookup,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: nextAddressMs,
})

/** To an origin that is trusted: no other is called by http. */
function connectTcp(url: URL, lookup: LookupFunction, done: Done): Socket {
  const socket = connectPlainly(toTarget(url, lookup))
  const fail = (error: Error) => done(error, null)
  const succeed = () => {
    socket.off('error', fail)
    done(null, socket)
  }
  return socket.setNoDelay(true).on('error', fail).once('connect', succeed)
}

/** Every connection verifies the certificate anew: sessions are not resumed. */
function connectTls(url: URL, secureContext: SecureContext, lookup: LookupFunction, done: Done): TLSSocket {
  const target = toTarget(url, lookup)
  const options: ConnectionOptions & typeof target = {
    ...target,
    servername: isIP(target.host) ? '' : target.host,
    secureContext,
    ALPNProtocols: ['http/1.1'],
  }
  const socket = connect(options)
  const fail = (error: Error) => done(socket.authorizationError ? callError('bad_certificate') : error, null)
  const succeed = () => {
    socket.off('error', fail)
    done(null, socket)
  }
  return socket.setNoDelay(true).on('error', fail).once('secureConnect', succeed)
}
