import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { callerAt } from './rate-limit.ts'
import { createQueue, createRequestTurns, type RequestTurns } from './request-turns.ts'

/** Requests of all connections together; a waiting request takes some 10 kB (measured). */
const maxInFlight = 4_096
/** Requests of one client, so that nobody can use up all of them by leaving replies unread. */
export const maxInFlightOfClient = 1_024
/** A client with at most this many is still served beyond `maxInFlight`, up to twice that number in total. */
const lightClientLimit = 64
/**
 * A request's address and headers together: the address may contain one of our ID tokens as a hint, which has up to 18,000
 * characters, and the headers the cookies of a browser.
 */
const maxHeaderSize = 32_768
/** File descriptors reserved for the database, deliveries, sign-ins and files. */
const reservedDescriptors = 500

/** In every reply, whoever makes it: no browser takes one for anything but what its type says. */
export const protectiveHeaders = { 'x-content-type-options': 'nosniff' }

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

export type Connections = {
  /** Fastify makes a server for each address that it listens on. */
  createServer(handle: RequestListener, options: { keepAliveTimeout: number; requestTimeout: number }): Server
  /** True when this client, or the process, exceeds its limit of requests in flight: the latest one is refused. */
  areTooManyInFlight(socket: Socket): boolean
  /** An event stream is in flight for hours; it has a limit of its own, and is the last that its connection is used for. */
  leaveToItself(request: IncomingMessage): void
  /** The beginning of a request that could not be parsed. */
  headOf(socket: Socket): string
  /** Runs `answer` once all earlier requests are answered, so that replies keep their order. */
  afterAnswers(socket: Socket, answer: () => void): void
}

/**
 * Limits what clients may take of this process: requests of one connection and of all, connections of one client and of
 * all, and the time for which a reply waits to be read. The connections of a proxy belong to many clients.
 */
export function createConnections(bounds: Bounds, isProxy: (address: string) => boolean): Connections {
  const connections = new WeakMap<Socket, Connection>()
  const all = createGroup(Math.min(bounds.connections, descriptorsForClients()))
  const clients = new Map<string, Group>()
  const queue = createQueue()
  const maxOfClient = Math.min(bounds.connectionsOfAddress, Math.ceil(all.limit / 2))

  const groupsOf = (address: string): Group[] => {
    if (isProxy(address)) return [all]
    const client = callerAt(address)
    const group = clients.get(client) ?? createGroup(maxOfClient, () => clients.delete(client))
    clients.set(client, group)
    return [all, group]
  }

  const open = (socket: Socket) => {
    const groups = groupsOf(socket.remoteAddress ?? '')
    const connection = { ...createRequestTurns(socket, queue), socket, groups, streams: new Set<IncomingMessage>() }
    connections.set(socket, connection)
    socket.once('close', () => forget(connection))
    for (const group of connection.groups) group.add(connection)
    for (const group of connection.groups) close(group.oneToClose())
  }

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

  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket)
    if (!connection) return
    connection.begin(request)
    for (const group of connection.groups) group.begin(connection)
    response.once('close', () => end(connection, request))
  }

  const end = (connection: Connection, request: IncomingMessage) => {
    if (!connections.has(connection.socket)) return
    connection.end(request)
    const counted = connection.streams.delete(request) ? 0 : 1
    for (const group of connection.groups) group.end(connection, counted)
  }

  const leaveToItself = (request: IncomingMessage) => {
    const connection = connections.get(request.socket)
    if (!connection) return
    connection.streams.add(request)
    for (const group of connection.groups) group.release()
    connection.beLast(request)
  }

  /** Arriving requests, and requests in progress, have other time limits. */
  const closeSilent = (socket: Socket) => {
    if (socket.writableLength > 0 || connections.get(socket)?.isKept()) socket.destroy()
  }

  return {
    createServer: (handle, { keepAliveTimeout, requestTimeout }) => {
      // A missing `Host` and an unknown expectation are refused in the envelope, not by Node.
      const options = {
        ...{ keepAliveTimeout, requestTimeout, maxHeaderSize },
        ...{ requireHostHeader: false, highWaterMark: 16_384 },
      }
      const server = createServer(options, (request, response) => {
        begin(request, response)
        for (const [name, value] of Object.entries(protectiveHeaders)) response.setHeader(name, value)
        handle(request, response)
      })
      server.on('checkContinue', (request, response) => {
        // Behind an unfinished answer Node would write the 100 between the head and the body of this one.
        if (response.socket) response.writeContinue()
        server.emit('request', request, response)
      })
      server.on('checkExpectation', (request, response) => server.emit('request', request, response))
      server.on('connection', open)
      // Node checks for progress once per interval, so a client is disconnected after one to two intervals.
      server.setTimeout(bounds.sendTimeoutMs / 2)
      server.on('timeout', closeSilent)
      return server
    },
    areTooManyInFlight: (socket) => {
      const [, client] = connections.get(socket)?.groups ?? []
      const own = client?.inFlight() ?? 0
      if (own > maxInFlightOfClient) return true
      return all.inFlight() > (client && own <= lightClientLimit ? 2 * maxInFlight : maxInFlight)
    },
    leaveToItself,
    headOf: (socket) => connections.get(socket)?.head() ?? '',
    afterAnswers: (socket, answer) => {
      const connection = connections.get(socket)
      if (connection) connection.refuse(answer)
      else answer()
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
