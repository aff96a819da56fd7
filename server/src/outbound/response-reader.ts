import {
  addHeaderLine,
  type Framing,
  framingOf,
  type Head,
  keptMs,
  parseStatusLine,
  toHeaders,
} from './response-head.ts'

export type ResponseReader = {
  /** Of the final answer; 0 before its status line was read. */
  status(): number
  headers(): Record<string, string | string[]>
  /** The beginning of the body, and how long it was as far as it was read. */
  body(): { kept: Buffer; bytes: number }
  /** Whether anything was read. */
  hasBegun(): boolean
  /** After a whole answer: how long its connection may be kept; 0: it is of no further use. */
  keptMs(): number
  /** Takes what came next, and gives how the answer has ended, if it has. Nothing may be read after that. */
  read(received: Buffer): ResponseEnd | undefined
  /** The connection has ended. */
  end(): ResponseEnd
}

export type ResponseEnd = 'whole' | 'answer_too_large' | 'bad_response' | 'connection_reset'

/** Does what it can with the bytes that are there. Gives what comes next, or how the answer ends; undefined: more bytes. */
type Step = () => Step | ResponseEnd | undefined

const versionPrefix = 'HTTP/1.'
/** RFC 9112, 7.1; what follows the size of a chunk means nothing to us. */
const chunkSizeLine = /^([\da-f]+)[\t ]*(?:;[^\0\r]*)?\r$/i

/**
 * Reads the answer to one request, however it is cut into pieces: interim answers are read over, the body ends as its head
 * says. Of all that comes, interim answers, headers and chunk extensions among it, no more than `maxBytes` are looked at, so
 * that the work is bounded whatever a receiver sends.
 */
export function createResponseReader({ maxBytes, keepBytes }: { maxBytes: number; keepBytes: number }): ResponseReader {
  let head: Head | undefined
  let framing: Framing | undefined
  let piece: Buffer = Buffer.alloc(0)
  let at = 0
  let line = ''
  let received = 0
  /** Of the body, or of the chunk. */
  let left = 0
  let hasMore = false
  const kept: Buffer[] = []
  let bodyBytes = 0

  /** Without the line feed at its end; undefined until that is there. Text joins without being copied, however it drips. */
  const takeLine = (): string | undefined => {
    const end = piece.indexOf(0x0a, at)
    line += piece.toString('latin1', at, end < 0 ? piece.length : end)
    at = end < 0 ? piece.length : end + 1
    if (end < 0) return undefined
    const whole = line
    line = ''
    return whole
  }

  /** Gives whether that was all that is left. */
  const takeBody = (): boolean => {
    const part = piece.subarray(at, Math.min(piece.length, at + left))
    if (bodyBytes < keepBytes && part.length > 0) kept.push(part)
    at += part.length
    left -= part.length
    bodyBytes += part.length
    return left === 0
  }

  /** What can become no status line is told at once: whoever speaks something else may then wait for us. */
  const statusLine: Step = () => {
    const isYoung = line.length < versionPrefix.length
    const text = takeLine()
    if (text === undefined)
      return isYoung && !versionPrefix.startsWith(line.slice(0, versionPrefix.length)) ? 'bad_response' : undefined
    head = parseStatusLine(text)
    return head && head.status !== 101 ? headerLine : 'bad_response'
  }

  /** Some servers write single line feeds within the values of their headers, which others only fold. */
  const headerLine: Step = () => {
    const text = takeLine()
    if (text === undefined || !head) return undefined
    const content = text.endsWith('\r') ? text.slice(0, -1) : text
    if (content === '') return head.status < 200 ? statusLine : beginBody(head)
    return addHeaderLine(head.fields, content) ? headerLine : 'bad_response'
  }

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
    return /^[^\0\r]+\r$/.test(text) ? trailerLine : 'bad_response'
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
    keptMs: () => (hasMore || framing === 'until_close' || !head ? 0 : keptMs(head)),
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
