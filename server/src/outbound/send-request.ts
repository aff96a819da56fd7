import { isUtf8 } from 'node:buffer'
import type { Connection, ConnectionUser } from './connection.ts'
import type { Connections } from './connections.ts'
import { type RequestError, toRequestError } from './request-error.ts'
import { toHead } from './request-head.ts'
import { createResponseReader, type ResponseEnd, type ResponseReader } from './response-reader.ts'

export type OutboundRequest = {
  /** https only, but for the egress client's `trustedOrigins`. */
  url: string
  /** `[name, value, name, value]`, each pair a line. */
  headers: string[]
  body: string
  /** For everything together: name, connection, request and answer. */
  timeoutMs: number
  /** Of the answer's body, at most. */
  keepBodyBytes: number
  /** Of all that comes as the answer, interim answers and headers among it: 64 KiB unless it says otherwise. */
  maxResponseBytes?: number
  /**
   * Whether the call fails when the answer's body does not come to its end (a synchronous hook: 6.2, rule 5). Without it
   * the status decides alone (an event: 6.2, rule 4).
   */
  needsBody?: boolean
}

export type Outcome =
  | {
      kind: 'answered'
      status: number
      /** By lower-case name; what came more than once, in the order it came. */
      headers: Record<string, string | string[]>
      durationMs: number
      /** The beginning of the body, without a character that was cut. */
      answer: string
      /** Whether the body went on after that, or was not read to its end. */
      truncated: boolean
      /** Whether that beginning is UTF-8: else `answer` has U+FFFD in its place. */
      isText: boolean
    }
  | { kind: 'failed'; error: RequestError; durationMs: number }

const standardMaxBytes = 64 * 1024
/** After the status that decides alone: what else comes is shown in the log, and a whole answer leaves its connection usable. */
const restMs = 1_000

/**
 * One attempt, on a connection that no other call has meanwhile. Redirects are answers like any other. One timer is the
 * deadline for everything.
 */
export function sendRequest(
  method: 'GET' | 'POST',
  call: OutboundRequest,
  url: URL,
  connections: Connections,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const startedAt = performance.now()
  const head = toHead(method, url, call.headers, call.body)
  const reader = createResponseReader({
    maxBytes: call.maxResponseBytes ?? standardMaxBytes,
    keepBytes: call.keepBodyBytes,
  })
  let isSent = false
  let isOver = false
  let waitForRest: NodeJS.Timeout | undefined

  const finish = (end: ResponseEnd | RequestError) => {
    if (isOver) return
    isOver = true
    clearTimeout(deadline)
    clearTimeout(waitForRest)
    if (end === 'whole' && connection.isSent()) connections.giveBack(connection, reader.keptMs())
    else connections.discard(connection)
    resolve(toOutcome(reader, end, call, performance.now() - startedAt))
  }
  const user: ConnectionUser = {
    onOpen: () => {
      if (isOver) return
      isSent = true
      connection.send(head, call.body)
    },
    onData: (bytes) => {
      if (!isSent) return replace()
      const end = reader.read(bytes)
      if (end) finish(end)
      else if (reader.status() > 0 && !call.needsBody) waitForRest ??= setTimeout(() => finish('timeout'), restMs)
    },
    onEnd: (error) => {
      const end = error ? toRequestError(error) : reader.end()
      if (isKept && end !== 'stopped' && (!isSent || (!call.needsBody && !reader.hasBegun()))) replace()
      else finish(end)
    },
  }
  /** The receiver closed the one that was kept, and never saw the request: it is no failure of its. */
  const replace = () => {
    isKept = false
    isSent = false
    connections.discard(connection)
    connection = connections.open(url, user)
  }
  const deadline = setTimeout(() => finish(isSent ? 'timeout' : 'connect_timeout'), call.timeoutMs)
  const kept = connections.takeKept(url, user)
  let isKept = kept !== undefined
  let connection: Connection = kept ?? connections.open(url, user)
  return promise
}

function toOutcome(
  reader: ResponseReader,
  end: ResponseEnd | RequestError,
  { keepBodyBytes, needsBody }: OutboundRequest,
  durationMs: number,
): Outcome {
  const status = reader.status()
  const isEnough = status > 0 && (!needsBody || end === 'whole' || end === 'answer_too_large')
  if (!isEnough) return { kind: 'failed', error: end as RequestError, durationMs }
  const { kept, bytes } = reader.body()
  const truncated = end !== 'whole' || bytes > keepBodyBytes
  const answer = decode(kept, truncated)
  return { kind: 'answered', status, headers: reader.headers(), durationMs, answer, truncated, isText: isUtf8(kept) }
}

/** What is not UTF-8 becomes U+FFFD; the beginning of a character at the place of the cut is left out. */
const decode = (bytes: Buffer, isCut: boolean): string =>
  isCut ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }) : bytes.toString()
