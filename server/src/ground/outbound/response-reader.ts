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

/** Consumes what it can. Returns the next step, or how the response ended; undefined when it needs more bytes. */
type Step = () => Step | ResponseEnd | undefined

const versionPrefix = 'HTTP/1.'
const mayBeStatusLine = (begun: string) =>
  begun === '\r' || versionPrefix.startsWith(begun.slice(0, versionPrefix.length))
/** RFC 9112, 7.1; chunk extensions are ignored. */
const chunkSizeLine = /^([\da-f]+)[\t ]*(?:;[^\0\r]*)?\r$/i

/**
 * Reads the response to one request from pieces of any size. Interim responses are skipped; the body ends as its head
 * says. No more than `maxBytes` are read, interim responses, headers and chunk extensions included, so that the work is
 * bounded whatever a receiver sends.
 */
export function createResponseReader({ maxBytes, keepBytes }: { maxBytes: number; keepBytes: number }): ResponseReader {
  let head: Head | undefined
  let framing: Framing | undefined
  let piece: Buffer = Buffer.alloc(0)
  let at = 0
  let line = ''
  let received = 0
  /** Bytes left of the body or chunk. */
  let left = 0
  let hasMore = false
  const kept: Buffer[] = []
  /** Read as header lines are, and left unused. */
  const trailers: Head['fields'] = []
  let bodyBytes = 0

  /** The next line without its line feed; undefined until that has arrived. Concatenated strings are not copied each time. */
  const takeLine = (): string | undefined => {
    const end = piece.indexOf(0x0a, at)
    line += piece.toString('latin1', at, end < 0 ? piece.length : end)
    at = end < 0 ? piece.length : end + 1
    if (end < 0) return undefined
    const whole = line
    line = ''
    return whole
  }

  /** Returns whether nothing is left. */
  const takeBody = (): boolean => {
    const part = piece.subarray(at, Math.min(piece.length, at + left))
    if (bodyBytes < keepBytes && part.length > 0) kept.push(part)
    at += part.length
    left -= part.length
    bodyBytes += part.length
    return left === 0
  }

  /** Fails at the first byte that no status line has: a server of another protocol may be waiting for this side to speak. */
  const statusLine: Step = () => {
    const isYoung = line.length < versionPrefix.length
    const text = takeLine()
    if (text === undefined) return isYoung && !mayBeStatusLine(line) ? 'bad_response' : undefined
    // RFC 9112, 2.2, asks it of servers; some receivers send a line end too many.
    if (text === '\r') return statusLine
    head = parseStatusLine(text)
    return head && head.status !== 101 ? headerLine : 'bad_response'
  }

  /** Accepts a bare line feed: some servers fold header values with one. */
  const headerLine: Step = () => {
    const text = takeLine()
    if (text === undefined || !head) return undefined
    const content = text.endsWith('\r') ? text.slice(0, -1) : text
    if (content === '') return head.status < 200 ? passInterim(head) : beginBody(head)
    return addHeaderLine(head.fields, content) ? headerLine : 'bad_response'
  }

  /** It has no body; one that is said to have an ambiguous one is refused as any other. */
  const passInterim = (interim: Head): Step | ResponseEnd =>
    framingOf(interim) === undefined ? 'bad_response' : statusLine

  const beginBody = (final: Head): Step | ResponseEnd => {
    framing = framingOf(final)
    if (framing === undefined) return 'bad_response'
    if (framing === 'chunked') return chunkSize
    left = framing === 'until_close' ? Number.POSITIVE_INFINITY : framing
    return body
  }

  const body: Step = () => (takeBody() ? 'whole' : undefined)

  const chunkSize: Step = () => {
    const text = takeLine()
    if (text === undefined) return undefined
    const [, size] = chunkSizeLine.exec(text) ?? []
    if (size === undefined) return 'bad_response'
    left = Number.parseInt(size, 16)
    return left === 0 ? trailerLine : chunk
  }

  const chunk: Step = () => (takeBody() ? chunkEnd : undefined)

  const chunkEnd: Step = () => {
    const text = takeLine()
    if (text === undefined) return undefined
    return text === '\r' ? chunkSize : 'bad_response'
  }

  const trailerLine: Step = () => {
    const text = takeLine()
    if (text === undefined) return undefined
    if (text === '\r') return 'whole'
    return text.endsWith('\r') && addHeaderLine(trailers, text.slice(0, -1)) ? trailerLine : 'bad_response'
  }

  let step: Step = statusLine

  const advance = (): ResponseEnd | undefined => {
    for (;;) {
      const next = step()
      if (typeof next !== 'function') return next
      step = next
    }
  }

  const finalHead = () => (head && head.status >= 200 ? head : undefined)

  return {
    status: () => finalHead()?.status ?? 0,
    headers: () => toHeaders(finalHead()?.fields ?? []),
    body: () => ({ kept: Buffer.concat(kept).subarray(0, keepBytes), bytes: bodyBytes }),
    hasBegun: () => received > 0,
    keepAliveMs: () => (hasMore || framing === 'until_close' || !head ? 0 : keepAliveMs(head)),
    read: (bytes) => {
      piece = bytes.subarray(0, maxBytes - received)
      at = 0
      received += piece.length
      const end = advance()
      hasMore = at < bytes.length
      return end ?? (hasMore ? 'answer_too_large' : undefined)
    },
    end: () => (framing === 'until_close' ? 'whole' : 'connection_reset'),
  }
}
