import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Bounds, createOpenConnections, type OpenConnections } from './connection-counts.ts'

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

/** In every reply, whoever makes it: no browser takes one for anything but what its type says. */
export const protectiveHeaders = { 'x-content-type-options': 'nosniff' }

export type { Bounds }

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
 * all, and the time for which a reply waits to be read.
 */
export function createConnections(bounds: Bounds, isProxy: (address: string) => boolean): Connections {
  const connections = createOpenConnections(bounds, isProxy)
  return {
    createServer: (handle, options) => createBoundedServer(connections, bounds, handle, options),
    areTooManyInFlight: (socket) => areTooManyInFlight(connections, socket),
    leaveToItself: connections.leaveToItself,
    headOf: (socket) => connections.of(socket)?.head() ?? '',
    afterAnswers: (socket, answer) => {
      const connection = connections.of(socket)
      if (connection) connection.refuse(answer)
      else answer()
    },
  }
}

function areTooManyInFlight(connections: OpenConnections, socket: Socket): boolean {
  const [, client] = connections.of(socket)?.groups ?? []
  const own = client?.inFlight() ?? 0
  if (own > maxInFlightOfClient) return true
  return connections.inFlight() > (client && own <= lightClientLimit ? 2 * maxInFlight : maxInFlight)
}

type ServerTimes = Parameters<Connections['createServer']>[1]

function createBoundedServer(
  connections: OpenConnections,
  { sendTimeoutMs }: Bounds,
  handle: RequestListener,
  { keepAliveTimeout, requestTimeout }: ServerTimes,
): Server {
  const options = {
    keepAliveTimeout,
    requestTimeout,
    maxHeaderSize,
    // A missing `Host` and an unknown expectation are refused in the envelope, not by Node.
    requireHostHeader: false,
    highWaterMark: 16_384,
  }
  const server = createServer(options, (request, response) => {
    connections.begin(request)
    response.once('close', () => connections.end(request))
    for (const [name, value] of Object.entries(protectiveHeaders)) response.setHeader(name, value)
    handle(request, response)
  })
  answerExpectations(server)
  server.on('connection', connections.open)
  // Node checks for progress once per interval, so a client is disconnected after one to two intervals.
  server.setTimeout(sendTimeoutMs / 2)
  server.on('timeout', (socket) => closeSilent(connections, socket))
  return server
}

function answerExpectations(server: Server) {
  server.on('checkContinue', (request, response) => {
    // Behind an unfinished answer Node would write the 100 between the head and the body of this one.
    if (response.socket) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** Arriving requests, and requests in progress, have other time limits. */
function closeSilent(connections: OpenConnections, socket: Socket) {
  if (socket.writableLength > 0 || connections.of(socket)?.isKept()) socket.destroy()
}
