import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { callerAt } from './rate-limit.ts'
import { createQueue, createTurns, type Turns } from './request-turns.ts'

/** Of all connections together; a waiting request takes some 10 kB (measured). */
const maxInFlight = 4_096
/** Of one client: nobody can use up what all have by leaving answers unread. */
export const maxInFlightOfClient = 1_024
/** A client with no more than these is still served beyond `maxInFlight`, up to twice as many in all. */
const spared = 64
/**
 * Of a request's address and headers together: an ID token of ours, which has up to 18,000 characters, may be in the address
 * as a hint, beside the cookies of a browser.
 */
const maxHeaderSize = 32_768
/** Left for the database, deliveries, sign-ins and files: clients never take the last descriptors of the process. */
const reservedDescriptors = 500

export type Bounds = {
  /** Of all clients together, where the process may open enough descriptors. */
  connections: number
  /** Of one client, as `callerAt` tells them apart. */
  connectionsOfAddress: number
  /** A client that takes nothing of its answer for so long is cut off. */
  sendTimeoutMs: number
}

type Connection = Turns & {
  socket: Socket
  /** Those that its bound is shared with: all connections, and those of its client. */
  groups: Group[]
}

export type Connections = {
  /** For Fastify, which makes one for each address that it listens on. */
  createServer(handle: RequestListener, options: { keepAliveTimeout: number; requestTimeout: number }): Server
  /** More requests are in flight than this client, or the process, may have: its latest one is to be refused. */
  areTooManyInFlight(socket: Socket): boolean
  /** The beginning of a request that could not be read. */
  headOf(socket: Socket): string
  /** Runs `answer` once all requests before it are answered, so that answers keep their order. */
  afterAnswers(socket: Socket, answer: () => void): void
}

/**
 * Bounds what clients may hold of this process: requests of one connection and of all, connections of one client and of all,
 * and the time for which an answer waits to be taken. The connections of a proxy are those of many clients.
 */
export function createConnections(bounds: Bounds, isProxy: (address: string) => boolean): Connections {
  const connections = new WeakMap<Socket, Connection>()
  const all = createGroup(Math.min(bounds.connections, descriptorsForClients()))
  const clients = new Map<string, Group>()
  const queue = createQueue()
  const mostOfClient = Math.min(bounds.connectionsOfAddress, Math.ceil(all.limit / 2))

  const groupsOf = (address: string): Group[] => {
    if (isProxy(address)) return [all]
    const client = callerAt(address)
    const group = clients.get(client) ?? createGroup(mostOfClient, () => clients.delete(client))
    clients.set(client, group)
    return [all, group]
  }

  const open = (socket: Socket) => {
    const connection = { ...createTurns(socket, queue), socket, groups: groupsOf(socket.remoteAddress ?? '') }
    connections.set(socket, connection)
    socket.once('close', () => forget(connection))
    for (const group of connection.groups) group.add(connection)
    for (const group of connection.groups) close(group.oneToClose())
  }

  /** Whichever comes first: its place was given to another one, or it has closed. */
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
    for (const group of connection.groups) group.end(connection)
  }

  /** While a request comes in, or waits for its answer, it has other limits. */
  const closeSilent = (socket: Socket) => {
    if (socket.writableLength > 0 || connections.get(socket)?.isKept()) socket.destroy()
  }

  return {
    createServer: (handle, { keepAliveTimeout, requestTimeout }) => {
      // That `Host` is missing, and that an expectation is not known, is told in the envelope as well.
      const options = {
        ...{ keepAliveTimeout, requestTimeout, maxHeaderSize },
        ...{ requireHostHeader: false, highWaterMark: 16_384 },
      }
      const server = createServer(options, (request, response) => {
        begin(request, response)
        handle(request, response)
      })
      server.on('checkExpectation', (request, response) => server.emit('request', request, response))
      server.on('connection', open)
      // Node checks for progress once per interval, so a client is cut off after one to two intervals: half the setting.
      server.setTimeout(bounds.sendTimeoutMs / 2)
      server.on('timeout', closeSilent)
      return server
    },
    areTooManyInFlight: (socket) => {
      const [, client] = connections.get(socket)?.groups ?? []
      const own = client?.inFlight() ?? 0
      if (own > maxInFlightOfClient) return true
      return all.inFlight() > (client && own <= spared ? 2 * maxInFlight : maxInFlight)
    },
    headOf: (socket) => connections.get(socket)?.head() ?? '',
    afterAnswers: (socket, answer) => {
      const connection = connections.get(socket)
      if (connection) connection.refuse(answer)
      else answer()
    },
  }
}

type Group = ReturnType<typeof createGroup>

/** Connections that share a bound; the idle ones in the order in which they became idle. */
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
      inFlight -= connection.inFlight()
      members.delete(connection)
      idle.delete(connection)
      if (members.size === 0) onEmpty()
    },
    begin: (connection: Connection) => {
      inFlight++
      idle.delete(connection)
    },
    end: (connection: Connection) => {
      inFlight--
      if (connection.inFlight() === 0) idle.add(connection)
    },
    /** Idle for longest, so the newest where all others are busy. */
    oneToClose: (): Connection | undefined => (members.size > limit ? idle.values().next().value : undefined),
  }
}

/** Node raises its limit as far as it may at its start. Where none is known there is none. */
function descriptorsForClients(): number {
  // Without this the report resolves the name of every peer.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } }
  const limit = Number(userLimits?.open_files?.soft)
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : Math.max(1, limit - reservedDescriptors)
}
