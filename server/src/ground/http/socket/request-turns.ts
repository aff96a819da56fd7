import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

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
export type Queue = {
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

/**
 * Stands between a connection and Node's parser, which would parse everything that was read at once: 64 KiB hold two
 * thousand requests. The parser gets one head or one body at a time, a few requests in a turn, and none while the connection
 * has its limit of requests in flight. Meanwhile the other bytes are held, and the socket reads no more than 64 KiB more.
 */
export function createRequestTurns(socket: Socket, queue: Queue): RequestTurns {
  let inFlight = 0
  /** Requests begun, and pieces parsed, in this turn. */
  let begun = 0
  let pieces = 0
  let latest: IncomingMessage | undefined
  /** Bytes missing of the latest request's body; 0 where it is chunked, because its end looks like that of a head. */
  let bodyLeft = 0
  let head = ''
  let held: Buffer | undefined
  let isRefused = false
  /** Nothing that comes behind the latest request would ever be answered. */
  let isLast = false
  let isLatestAnswered = true
  let onEnd = () => {}

  /** Node reuses the parser of a closed connection: bytes passed to it would become requests of another connection. */
  const isOver = () => isRefused || socket.destroyed

  const isBetween = () => latest?.complete !== false
  // The body of the latest request is parsed in any case, because that request may be waiting for it.
  const isFull = () => inFlight >= maxInFlightOfConnection && isBetween()
  const mayParse = () => !isFull() && pieces < piecesPerTurn && !(begun >= requestsPerTurn && isBetween())
  /** Replies wait to be sent. Node resumes by itself once they are, and must receive nothing before. */
  const isPausedByNode = () => (socket as Socket & { _paused?: boolean })._paused === true

  const nextOf = (chunk: Buffer): Buffer => {
    if (bodyLeft > 0) return chunk.subarray(0, bodyLeft)
    const end = chunk.indexOf(endOfHead)
    return end < 0 ? chunk : chunk.subarray(0, end + endOfHead.length)
  }

  const parsePiece = (piece: Buffer) => {
    if (bodyLeft > 0) bodyLeft -= piece.length
    else if (isBetween() && head.length < maxHeadKept) head += piece.toString('latin1', 0, maxHeadKept)
    nodeParses?.call(socket, piece)
  }

  const parse = (chunk: Buffer) => {
    let rest = chunk
    begun = 0
    pieces = 0
    while (rest.length > 0 && mayParse() && !socket.isPaused() && !isOver()) {
      if (isLast && isBetween()) return void socket.destroy()
      const piece = nextOf(rest)
      pieces++
      parsePiece(piece)
      rest = rest.subarray(piece.length)
    }
    if (rest.length > 0 && !isOver()) keep(rest)
  }

  /** Where Node has paused by itself (replies wait, or a body is not being read), it resumes by itself. */
  const keep = (rest: Buffer) => {
    if (mayParse()) return void socket.unshift(rest)
    held = rest
    socket.pause()
    if (!isFull()) queue.add(parseOn)
  }

  const holdUntilTurn = (chunk: Buffer) => {
    held = chunk
    socket.pause()
    queue.add(parseOn)
  }

  const parseOn = () => {
    const rest = held
    held = undefined
    if (!rest || isOver()) return
    if (isPausedByNode()) return void socket.unshift(rest)
    socket.resume()
    parse(rest)
  }

  const take = (chunk: Buffer) => {
    // Node has read more while earlier bytes still wait for their turn.
    if (held) socket.pause().unshift(chunk)
    else if (queue.mayParseNow()) parse(chunk)
    else holdUntilTurn(chunk)
  }

  // Without another listener, Node reads the bytes from the handle, where no listener sees them.
  const [nodeParses] = socket.listeners('data')
  if (nodeParses) socket.on('data', take).removeListener('data', nodeParses as () => void)

  return {
    inFlight: () => inFlight,
    isKept: () => inFlight === 0 && latest !== undefined,
    begin: (request) => {
      inFlight++
      begun++
      latest = request
      isLatestAnswered = false
      head = ''
      bodyLeft = Number(request.headers['content-length'] ?? 0)
    },
    end: (request) => {
      inFlight--
      if (request === latest) isLatestAnswered = true
      if (held) queue.add(parseOn)
      onEnd()
    },
    head: () => head,
    beLast: (request) => {
      isLast = true
      if (request !== latest || (held && isBetween())) socket.destroy()
    },
    refuse: (then) => {
      isRefused = true
      const isBroken = !isBetween()
      onEnd = () => {
        // Nobody else answers a request whose body breaks off, unless it was answered before its body arrived.
        if (inFlight > (isBroken && !isLatestAnswered ? 1 : 0)) return
        onEnd = () => {}
        if (isBroken && isLatestAnswered) socket.destroy()
        else then()
      }
      onEnd()
    },
  }
}
