import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { callerAt } from './rate-limit.ts'
import { createQueue, createRequestTurns, type RequestTurns } from './request-turns.ts'

/** File descriptors reserved for the database, deliveries, sign-ins and files. */
const reservedDescriptors = 500

export type Bounds = {
  /** Connections of all clients together, if the process may open enough descriptors. */
  connections: number
  /** Connections of one client, as `callerAt` distinguishes them. */
  connectionsOfAddress: number
  /** A client that reads nothing of its reply for this long is disconnected. */
  sendTimeoutMs: number
}

type Connection = RequestTurns & {
  socket: Socket
  /** Its requests in flight that count against no limit of them. */
  streams: Set<IncomingMessage>
  /** The groups whose limits it counts against: all connections, and those of its client. */
  groups: Group[]
}

/** The open connections, and how many requests they have in flight, in all and of each client. */
export type OpenConnections = {
  of(socket: Socket): Connection | undefined
  open(socket: Socket): void
  begin(request: IncomingMessage): void
  end(request: IncomingMessage): void
  leaveToItself(request: IncomingMessage): void
  /** Requests of all connections. */
  inFlight(): number
}

export function createOpenConnections(bounds: Bounds, isProxy: (address: string) => boolean): OpenConnections {
  const connections = new WeakMap<Socket, Connection>()
  const groups = createGroups(bounds, isProxy)
  const queue = createQueue()

  /** Called when the connection is closed to make room, and when it closes by itself: only the first call counts. */
  const forget = (connection: Connection) => {
    if (!connections.delete(connection.socket)) return
    for (const group of connection.groups) group.remove(connection)
  }
  const close = (connection: Connection | undefined) => {
    if (!connection) return
    forget(connection)
    connection.socket.destroy()
  }
  return {
    of: (socket) => connections.get(socket),
    open: (socket) => {
      const connection = {
        ...createRequestTurns(socket, queue),
        socket,
        groups: groups.of(socket.remoteAddress ?? ''),
        streams: new Set<IncomingMessage>(),
      }
      connections.set(socket, connection)
      socket.once('close', () => forget(connection))
      for (const group of connection.groups) group.add(connection)
      for (const group of connection.groups) close(group.oneToClose())
    },
    begin: (request) => beginRequest(connections.get(request.socket), request),
    end: (request) => endRequest(connections.get(request.socket), request),
    leaveToItself: (request) => leaveToItself(connections.get(request.socket), request),
    inFlight: groups.inFlight,
  }
}

function beginRequest(connection: Connection | undefined, request: IncomingMessage) {
  if (!connection) return
  connection.begin(request)
  for (const group of connection.groups) group.begin(connection)
}

function endRequest(connection: Connection | undefined, request: IncomingMessage) {
  if (!connection) return
  connection.end(request)
  const counted = connection.streams.delete(request) ? 0 : 1
  for (const group of connection.groups) group.end(connection, counted)
}

function leaveToItself(connection: Connection | undefined, request: IncomingMessage) {
  if (!connection) return
  connection.streams.add(request)
  for (const group of connection.groups) group.release()
  connection.beLast(request)
}

/** That of all connections, and one for each client; the connections of a proxy belong to many clients. */
function createGroups(bounds: Bounds, isProxy: (address: string) => boolean) {
  const all = createGroup(Math.min(bounds.connections, descriptorsForClients()))
  const clients = new Map<string, Group>()
  const maxOfClient = Math.min(bounds.connectionsOfAddress, Math.ceil(all.limit / 2))
  return {
    inFlight: all.inFlight,
    of: (address: string): Group[] => {
      if (isProxy(address)) return [all]
      const client = callerAt(address)
      const group = clients.get(client) ?? createGroup(maxOfClient, () => clients.delete(client))
      clients.set(client, group)
      return [all, group]
    },
  }
}

type Group = ReturnType<typeof createGroup>

/** Connections that share a limit; the idle ones in the order in which they became idle. */
function createGroup(limit: number, onEmpty = () => {}) {
  const members = new Set<Connection>()
  const idle = new Set<Connection>()
  let inFlight = 0
  return {
    limit,
    inFlight: () => inFlight,
    add: (connection: Connection) => {
      members.add(connection)
      idle.add(connection)
    },
    remove: (connection: Connection) => {
      inFlight -= connection.inFlight() - connection.streams.size
      members.delete(connection)
      idle.delete(connection)
      if (members.size === 0) onEmpty()
    },
    begin: (connection: Connection) => {
      inFlight++
      idle.delete(connection)
    },
    /** Counts one of its requests no more. */
    release: () => {
      inFlight--
    },
    end: (connection: Connection, counted: number) => {
      inFlight -= counted
      if (connection.inFlight() === 0) idle.add(connection)
    },
    /** The connection that is idle longest; it is the newest one where all others are busy. */
    oneToClose: (): Connection | undefined => (members.size > limit ? idle.values().next().value : undefined),
  }
}

/** Node raises its own limit as far as it may at its start. Unlimited where the report has no limit. */
function descriptorsForClients(): number {
  // Otherwise the report resolves the name of every peer.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } }
  const limit = Number(userLimits?.open_files?.soft)
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : Math.max(1, limit - reservedDescriptors)
}
