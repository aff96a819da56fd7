import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { isPausedByNode, standBeforeParser } from './node-private.ts'

/** HTTP/1.1 lets a client send any number of requests without waiting for an answer. */
export const maxInFlightOfConnection = 16
/** Requests of one connection in a turn: a request that is refused takes some 0.1 ms (measured). */
const requestsPerTurn = 4
/** Pieces of heads and bodies of one connection in a turn: a client may send pieces of four bytes. */
const piecesPerTurn = 64
/**
 * Connections that have a turn before the event loop goes on. It accepts one connection each time around, so that without this a new
 * one waited for seconds behind three hundred busy ones.
 */
const connectionsPerTurn = 8
/** Characters kept of a request that cannot be parsed: enough for its method and path, and to see whether those are too long. */
const maxHeadKept = 4_096
const endOfHead = '\r\n\r\n'

/** The requests of one connection. */
export type RequestTurns = {
  inFlight(): number
  /** Idle after at least one request, and open for another. */
  isKept(): boolean
  begin(request: IncomingMessage): void
  end(request: IncomingMessage): void
  /** The beginning of the request that is being read. */
  head(): string
  /** The reply to `request` goes on until its connection closes. Closes it when anything comes behind the request, or has come. */
  beLast(request: IncomingMessage): void
  /** Reads nothing more, and calls `then` once all earlier requests are answered. */
  refuse(then: () => void): void
}

/** Connections with unparsed bytes, which take turns. */
type Queue = {
  /** Whether a connection may parse at once what it has received: the turn is not over, and none waits. */
  mayParseNow(): boolean
  /** Calls it in its turn. */
  add(parseOn: () => void): void
}

export function createQueue(): Queue {
  const waiting = new Set<() => void>()
  let parsed = 0
  let isServedSoon = false

  const serve = () => {
    isServedSoon = false
    parsed = 0
    for (const parseOn of waiting.values().take(connectionsPerTurn).toArray()) {
      waiting.delete(parseOn)
      parseOn()
    }
    if (waiting.size > 0) serveSoon()
  }

  const serveSoon = () => {
    if (!isServedSoon) setImmediate(serve)
    isServedSoon = true
  }

  return {
    mayParseNow: () => {
      if (waiting.size > 0 || parsed === connectionsPerTurn) return false
      parsed++
      serveSoon()
      return true
    },
    add: (parseOn) => {
      waiting.add(parseOn)
      serveSoon()
    },
  }
}

/** One connection as this file sees it. */
type Reading = {
  socket: Socket
  queue: Queue
  passOn: (piece: Buffer) => void
  /** Goes on with what is held, in its turn. */
  parseOn: () => void
  inFlight: number
  /** Requests begun, and pieces parsed, in this turn. */
  begun: number
  pieces: number
  latest: IncomingMessage | undefined
  isLatestAnswered: boolean
  /** Bytes missing of the latest request's body; 0 where it is chunked, because its end looks like that of a head. */
  bodyLeft: number
  head: string
  held: Buffer | undefined
  isRefused: boolean
  /** Nothing that comes behind the latest request would ever be answered. */
  isLast: boolean
  onEnd: () => void
}

/**
 * Stands between a connection and Node's parser, which would parse everything that was read at once: 64 KiB hold two
 * thousand requests. The parser gets one head or one body at a time, a few requests in a turn, and none while the connection
 * has its limit of requests in flight. Meanwhile the other bytes are held, and the socket reads no more than 64 KiB more.
 */
export function createRequestTurns(socket: Socket, queue: Queue): RequestTurns {
  const reading: Reading = {
    socket,
    queue,
    passOn: standBeforeParser(socket, (chunk) => take(reading, chunk)),
    parseOn: () => parseOn(reading),
    inFlight: 0,
    begun: 0,
    pieces: 0,
    latest: undefined,
    isLatestAnswered: true,
    bodyLeft: 0,
    head: '',
    held: undefined,
    isRefused: false,
    isLast: false,
    onEnd: () => {},
  }
  return {
    inFlight: () => reading.inFlight,
    isKept: () => reading.inFlight === 0 && reading.latest !== undefined,
    begin: (request) => begin(reading, request),
    end: (request) => end(reading, request),
    head: () => reading.head,
    beLast: (request) => beLast(reading, request),
    refuse: (then) => refuse(reading, then),
  }
}

/** Node reuses the parser of a closed connection: bytes passed to it would become requests of another connection. */
const isOver = ({ isRefused, socket }: Reading) => isRefused || socket.destroyed

const isBetween = ({ latest }: Reading) => latest?.complete !== false

/** The body of the latest request is parsed in any case, because that request may be waiting for it. */
const isFull = (reading: Reading) => reading.inFlight >= maxInFlightOfConnection && isBetween(reading)

const mayParse = (reading: Reading) =>
  !isFull(reading) && reading.pieces < piecesPerTurn && !(reading.begun >= requestsPerTurn && isBetween(reading))

function take(reading: Reading, chunk: Buffer) {
  // Node has read more while earlier bytes still wait for their turn.
  if (reading.held) reading.socket.pause().unshift(chunk)
  else if (reading.queue.mayParseNow()) parse(reading, chunk)
  else holdUntilTurn(reading, chunk)
}

function parse(reading: Reading, chunk: Buffer) {
  const { socket } = reading
  let rest = chunk
  reading.begun = 0
  reading.pieces = 0
  while (rest.length > 0 && mayParse(reading) && !socket.isPaused() && !isOver(reading)) {
    if (reading.isLast && isBetween(reading)) return void socket.destroy()
    const piece = nextOf(reading, rest)
    parsePiece(reading, piece)
    rest = rest.subarray(piece.length)
  }
  if (rest.length > 0 && !isOver(reading)) keep(reading, rest)
}

function nextOf({ bodyLeft }: Reading, chunk: Buffer): Buffer {
  if (bodyLeft > 0) return chunk.subarray(0, bodyLeft)
  const end = chunk.indexOf(endOfHead)
  return end < 0 ? chunk : chunk.subarray(0, end + endOfHead.length)
}

function parsePiece(reading: Reading, piece: Buffer) {
  reading.pieces++
  if (reading.bodyLeft > 0) reading.bodyLeft -= piece.length
  else if (isBetween(reading) && reading.head.length < maxHeadKept)
    reading.head += piece.toString('latin1', 0, maxHeadKept)
  reading.passOn(piece)
}

/** Where Node has paused by itself (replies wait, or a body is not being read), it resumes by itself. */
function keep(reading: Reading, rest: Buffer) {
  if (mayParse(reading)) return void reading.socket.unshift(rest)
  hold(reading, rest)
  if (!isFull(reading)) reading.queue.add(reading.parseOn)
}

function holdUntilTurn(reading: Reading, chunk: Buffer) {
  hold(reading, chunk)
  reading.queue.add(reading.parseOn)
}

function hold(reading: Reading, rest: Buffer) {
  reading.held = rest
  reading.socket.pause()
}

function parseOn(reading: Reading) {
  const { held, socket } = reading
  reading.held = undefined
  if (!held || isOver(reading)) return
  if (isPausedByNode(socket)) return void socket.unshift(held)
  socket.resume()
  parse(reading, held)
}

function begin(reading: Reading, request: IncomingMessage) {
  reading.inFlight++
  reading.begun++
  reading.latest = request
  reading.isLatestAnswered = false
  reading.head = ''
  reading.bodyLeft = Number(request.headers['content-length'] ?? 0)
}

function end(reading: Reading, request: IncomingMessage) {
  reading.inFlight--
  if (request === reading.latest) reading.isLatestAnswered = true
  if (reading.held) reading.queue.add(reading.parseOn)
  reading.onEnd()
}

function beLast(reading: Reading, request: IncomingMessage) {
  reading.isLast = true
  if (request !== reading.latest || (reading.held && isBetween(reading))) reading.socket.destroy()
}

function refuse(reading: Reading, then: () => void) {
  reading.isRefused = true
  const isBroken = !isBetween(reading)
  reading.onEnd = () => {
    const { inFlight, isLatestAnswered, socket } = reading
    // Nobody else answers a request whose body breaks off, unless it was answered before its body arrived.
    if (inFlight > (isBroken && !isLatestAnswered ? 1 : 0)) return
    reading.onEnd = () => {}
    if (isBroken && isLatestAnswered) socket.destroy()
    else then()
  }
  reading.onEnd()
}
