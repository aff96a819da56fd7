import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** HTTP/1.1 lets a client send any number of requests without waiting for an answer. */
export const maxInFlightOfConnection = 16
/** Of one connection, before others have their turn: a request that is refused takes some 0.1 ms (measured). */
const requestsOfTurn = 4
/** Pieces of heads and bodies of one connection in a turn: a client may end one every four bytes. */
const piecesOfTurn = 64
/** Connections that have a turn before the process looks at the others. */
const connectionsOfTurn = 8
/** Of a request that cannot be read: enough to tell its method and path, and whether it is these that are too long. */
const keptOfHead = 4_096
const endOfHead = '\r\n\r\n'

/** The requests of one connection. */
export type Turns = {
  inFlight(): number
  /** Open for another request, once those before are answered. */
  isKept(): boolean
  begin(request: IncomingMessage): void
  end(request: IncomingMessage): void
  /** The beginning of the request that is being read. */
  head(): string
  /** Reads nothing more, and calls back once all requests before are answered. */
  refuse(then: () => void): void
}

/** Connections of which something waits to be parsed, each in turn. */
export type Queue = (parseOn: () => void) => void

export function createQueue(): Queue {
  const waiting = new Set<() => void>()
  const serve = () => {
    const served = waiting.values().take(connectionsOfTurn).toArray()
    for (const parseOn of served) {
      waiting.delete(parseOn)
      parseOn()
    }
    if (waiting.size > 0) setImmediate(serve)
  }
  return (parseOn) => {
    if (waiting.size === 0) setImmediate(serve)
    waiting.add(parseOn)
  }
}

/**
 * Stands between a connection and Node's parser, which would make requests of all that was read at once: 64 KiB hold two
 * thousand. It gets one head, or one body, at a time, a few requests in a turn, and none while the connection has its number in
 * flight. Meanwhile the rest of what was read is held, and the socket reads no more than 64 KiB beside it.
 */
export function createTurns(socket: Socket, queue: Queue): Turns {
  let inFlight = 0
  /** In this turn. */
  let begun = 0
  let pieces = 0
  let latest: IncomingMessage | undefined
  /** Of the latest request's body; unknown where it comes in chunks, which end as a head does. */
  let bodyLeft = 0
  let head = ''
  let held: Buffer | undefined
  let isRefused = false
  let isLatestAnswered = true
  let onEnd = () => {}

  /** The parser of a connection that has closed is another one's by now: what it is given would be that one's requests. */
  const isOver = () => isRefused || socket.destroyed

  const isBetween = () => latest?.complete !== false
  // The body of the latest request is parsed in any case: it may be what that request waits for.
  const isFull = () => inFlight >= maxInFlightOfConnection && isBetween()
  const mayParse = () => !isFull() && pieces < piecesOfTurn && !(begun >= requestsOfTurn && isBetween())
  /** Answers wait to be sent. Node goes on by itself when they are, and must not be given anything before. */
  const isPausedByNode = () => (socket as Socket & { _paused?: boolean })._paused === true

  const nextOf = (chunk: Buffer): Buffer => {
    if (bodyLeft > 0) return chunk.subarray(0, bodyLeft)
    const end = chunk.indexOf(endOfHead)
    return end < 0 ? chunk : chunk.subarray(0, end + endOfHead.length)
  }

  const parsePiece = (piece: Buffer) => {
    if (bodyLeft > 0) bodyLeft -= piece.length
    else if (isBetween() && head.length < keptOfHead) head += piece.toString('latin1', 0, keptOfHead)
    nodeParses?.call(socket, piece)
  }

  const parse = (chunk: Buffer) => {
    let rest = chunk
    begun = 0
    pieces = 0
    while (rest.length > 0 && mayParse() && !socket.isPaused() && !isOver()) {
      const piece = nextOf(rest)
      pieces++
      parsePiece(piece)
      rest = rest.subarray(piece.length)
    }
    if (rest.length > 0 && !isOver()) keep(rest)
  }

  /** Node reads on by itself where it has paused: because answers wait, or nobody reads a body. */
  const keep = (rest: Buffer) => {
    if (mayParse()) return void socket.unshift(rest)
    held = rest
    socket.pause()
    if (!isFull()) queue(parseOn)
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
    // Node has read on while its parser was still waiting for its turn.
    if (held) socket.pause().unshift(chunk)
    else parse(chunk)
  }

  // Until there is another listener, Node takes the bytes from the handle, where nobody else sees them.
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
      if (held) queue(parseOn)
      onEnd()
    },
    head: () => head,
    refuse: (then) => {
      isRefused = true
      const isBroken = !isBetween()
      onEnd = () => {
        // A request whose body breaks off is answered by nobody else, unless it was answered before its body had come.
        if (inFlight > (isBroken && !isLatestAnswered ? 1 : 0)) return
        onEnd = () => {}
        if (isBroken && isLatestAnswered) socket.destroy()
        else then()
      }
      onEnd()
    },
  }
}
