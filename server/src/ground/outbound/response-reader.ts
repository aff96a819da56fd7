import {
  addHeaderLine,
  type Framing,
  framingOf,
  type Head,
  keepAliveMs,
  parseStatusLine,
  toHeaders,
} from './response-head.ts'

export type ResponseReader = {
  /** Of the final response; 0 before its status line was read. */
  status(): number
  headers(): Record<string, string | string[]>
  /** The first `keepBytes` of the body, and the length of all that was read of it. */
  body(): { kept: Buffer; bytes: number }
  hasBegun(): boolean
  /** After a complete response: how long its connection may be idle; 0 when it cannot be reused. */
  keepAliveMs(): number
  /** Reads the next bytes and returns how the response ended, once it has. Must not be called after that. */
  read(received: Buffer): ResponseEnd | undefined
  /** How the response ended, given that the connection has. */
  end(): ResponseEnd
}

export type ResponseEnd = 'whole' | 'answer_too_large' | 'bad_response' | 'connection_reset'

type State = 'statusLine' | 'headerLine' | 'body' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailerLine'

/** What has been read so far. */
type Reading = {
  state: State
  /** The bytes that came last, and how many of them are read. */
  piece: Buffer
  at: number
  /** The beginning of a line whose end has not arrived. */
  line: string
  head: Head | undefined
  framing: Framing | undefined
  /** Bytes left of the body or chunk. */
  left: number
  keepBytes: number
  kept: Buffer[]
  bodyBytes: number
  /** Read as header lines are, and left unused. */
  trailers: Head['fields']
}

/** Consumes what it can. Returns the next state, or how the response ended; undefined when it needs more bytes. */
type Step = (reading: Reading) => State | ResponseEnd | undefined

const steps: Readonly<Record<State, Step>> = {
  statusLine: readStatusLine,
  headerLine: readHeaderLine,
  body: (reading) => (takeBody(reading) ? 'whole' : undefined),
  chunkSize: readChunkSize,
  chunk: (reading) => (takeBody(reading) ? 'chunkEnd' : undefined),
  chunkEnd: readChunkEnd,
  trailerLine: readTrailerLine,
}

/**
 * Reads the response to one request from pieces of any size. Interim responses are skipped; the body ends as its head
 * says. No more than `maxBytes` are read, interim responses, headers and chunk extensions included, so that the work is
 * bounded whatever a receiver sends.
 */
export function createResponseReader({ maxBytes, keepBytes }: { maxBytes: number; keepBytes: number }): ResponseReader {
  const reading = beginReading(keepBytes)
  let received = 0
  let hasMore = false
  const finalHead = () => (reading.head && reading.head.status >= 200 ? reading.head : undefined)
  const isUntilClose = () => reading.framing === 'until_close'

  return {
    status: () => finalHead()?.status ?? 0,
    headers: () => toHeaders(finalHead()?.fields ?? []),
    body: () => ({ kept: Buffer.concat(reading.kept).subarray(0, keepBytes), bytes: reading.bodyBytes }),
    hasBegun: () => received > 0,
    keepAliveMs: () => (hasMore || isUntilClose() || !reading.head ? 0 : keepAliveMs(reading.head)),
    read: (bytes) => {
      const end = readPiece(reading, bytes.subarray(0, maxBytes - received))
      received += reading.piece.length
      hasMore = reading.at < bytes.length
      return end ?? (hasMore ? 'answer_too_large' : undefined)
    },
    end: () => (isUntilClose() ? 'whole' : 'connection_reset'),
  }
}

const nothing: Buffer = Buffer.alloc(0)

const beginReading = (keepBytes: number): Reading => ({
  state: 'statusLine',
  piece: nothing,
  at: 0,
  line: '',
  head: undefined,
  framing: undefined,
  left: 0,
  keepBytes,
  kept: [],
  bodyBytes: 0,
  trailers: [],
})

function readPiece(reading: Reading, piece: Buffer): ResponseEnd | undefined {
  reading.piece = piece
  reading.at = 0
  for (;;) {
    const next = steps[reading.state](reading)
    if (next === undefined || !isState(next)) return next
    reading.state = next
  }
}

const isState = (next: State | ResponseEnd): next is State => next in steps

/** The next line without its line feed; undefined until that has arrived. Concatenated strings are not copied each time. */
function takeLine(reading: Reading): string | undefined {
  const { piece, at } = reading
  const end = piece.indexOf(0x0a, at)
  reading.line += piece.toString('latin1', at, end < 0 ? piece.length : end)
  reading.at = end < 0 ? piece.length : end + 1
  if (end < 0) return undefined
  const whole = reading.line
  reading.line = ''
  return whole
}

/** Returns whether nothing is left. */
function takeBody(reading: Reading): boolean {
  const { piece, at } = reading
  const part = piece.subarray(at, Math.min(piece.length, at + reading.left))
  if (reading.bodyBytes < reading.keepBytes && part.length > 0) reading.kept.push(part)
  reading.at += part.length
  reading.left -= part.length
  reading.bodyBytes += part.length
  return reading.left === 0
}

const versionPrefix = 'HTTP/1.'
const mayBeStatusLine = (begun: string) =>
  begun === '\r' || versionPrefix.startsWith(begun.slice(0, versionPrefix.length))

/** Fails at the first byte that no status line has: a server of another protocol may be waiting for this side to speak. */
function readStatusLine(reading: Reading): State | ResponseEnd | undefined {
  const isYoung = reading.line.length < versionPrefix.length
  const text = takeLine(reading)
  if (text === undefined) return isYoung && !mayBeStatusLine(reading.line) ? 'bad_response' : undefined
  // RFC 9112, 2.2, asks it of servers; some receivers send a line end too many, also between an interim and the final response.
  if (text === '\r') return 'statusLine'
  reading.head = parseStatusLine(text)
  return reading.head && reading.head.status !== 101 ? 'headerLine' : 'bad_response'
}

/** Accepts a bare line feed: some servers fold header values with one. */
function readHeaderLine(reading: Reading): State | ResponseEnd | undefined {
  const text = takeLine(reading)
  const { head } = reading
  if (text === undefined || !head) return undefined
  const content = text.endsWith('\r') ? text.slice(0, -1) : text
  if (content === '') return head.status < 200 ? passInterim(head) : beginBody(reading, head)
  return addHeaderLine(head.fields, content) ? 'headerLine' : 'bad_response'
}

/** It has no body; one whose body is said to have an ambiguous length is refused as any other. */
const passInterim = (interim: Head): State | ResponseEnd =>
  framingOf(interim) === undefined ? 'bad_response' : 'statusLine'

function beginBody(reading: Reading, final: Head): State | ResponseEnd {
  const framing = framingOf(final)
  reading.framing = framing
  if (framing === undefined) return 'bad_response'
  if (framing === 'chunked') return 'chunkSize'
  reading.left = framing === 'until_close' ? Number.POSITIVE_INFINITY : framing
  return 'body'
}

/** RFC 9112, 7.1; chunk extensions are ignored. */
const chunkSizeLine = /^([\da-f]+)[\t ]*(?:;[^\0\r]*)?\r$/i

function readChunkSize(reading: Reading): State | ResponseEnd | undefined {
  const text = takeLine(reading)
  if (text === undefined) return undefined
  const [, size] = chunkSizeLine.exec(text) ?? []
  if (size === undefined) return 'bad_response'
  reading.left = Number.parseInt(size, 16)
  return reading.left === 0 ? 'trailerLine' : 'chunk'
}

function readChunkEnd(reading: Reading): State | ResponseEnd | undefined {
  const text = takeLine(reading)
  if (text === undefined) return undefined
  return text === '\r' ? 'chunkSize' : 'bad_response'
}

function readTrailerLine(reading: Reading): State | ResponseEnd | undefined {
  const text = takeLine(reading)
  if (text === undefined) return undefined
  if (text === '\r') return 'whole'
  return text.endsWith('\r') && addHeaderLine(reading.trailers, text.slice(0, -1)) ? 'trailerLine' : 'bad_response'
}
