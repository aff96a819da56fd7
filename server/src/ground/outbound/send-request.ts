import { isUtf8 } from 'node:buffer'
import type { Connection, ConnectionUser } from './connection.ts'
import type { Connections } from './connections.ts'
import { type RequestError, toRequestError } from './request-error.ts'
import { toHead } from './request-head.ts'
import { createResponseReader, type ResponseEnd, type ResponseReader } from './response-reader.ts'

export type OutboundRequest = {
  /** https, except for the egress client's `trustedOrigins`. */
  url: string
  /** Its connection is kept for requests of the same: of one organization. */
  keptFor: string
  /** `[name, value, name, value]`, each pair a line. */
  headers: string[]
  body: string
  /** From name look-up to the end of the response. */
  timeoutMs: number
  /** How much of the response body the outcome holds. */
  keepBodyBytes: number
  /** Limit of all that is received, interim responses and headers included. Default: 64 KiB. */
  maxResponseBytes?: number
  /**
   * Whether an incomplete response body fails the request (a synchronous hook: 6.2, rule 5), one that ends with TCP and not with
   * TLS among them. Otherwise the status alone decides (an event: 6.2, rule 4).
   */
  needsBody?: boolean
}

export type Outcome =
  | {
      kind: 'answered'
      status: number
      /** By lower-case name; the values of a repeated header in the order received. */
      headers: Record<string, string | string[]>
      durationMs: number
      /** The first `keepBodyBytes` of the body, without a character cut in half at their end. */
      answer: string
      /** Whether the body is longer, or was not read to its end. */
      truncated: boolean
      /** Whether `answer` was UTF-8; invalid bytes in it have become U+FFFD. */
      isText: boolean
    }
  | { kind: 'failed'; error: RequestError; durationMs: number }

/** 2XX alone (6.2, rule 2). */
export const isSuccess = (outcome: Outcome): outcome is Outcome & { kind: 'answered' } =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299

const standardMaxBytes = 64 * 1024
/** How long the rest of a response is read once its status has decided: for the log, and so that the connection can be reused. */
const restMs = 1_000

/**
 * Sends one request on a connection that no other request uses meanwhile. Redirects are responses like any other. One
 * timer is the deadline for everything.
 */
export function sendRequest(
  method: 'GET' | 'POST',
  request: OutboundRequest,
  url: URL,
  connections: Connections,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const startedAt = performance.now()
  const head = toHead(method, url, request.headers, request.body)
  const reader = createResponseReader({
    maxBytes: request.maxResponseBytes ?? standardMaxBytes,
    keepBytes: request.keepBodyBytes,
  })
  const { keptFor, needsBody = false } = request
  const purpose = { url, keptFor, needsBody }
  let isSent = false
  let isOver = false
  let waitForRest: NodeJS.Timeout | undefined

  const finish = (end: ResponseEnd | RequestError) => {
    if (isOver) return
    isOver = true
    clearTimeout(deadline)
    clearTimeout(waitForRest)
    if (end === 'whole' && connection.isSent()) connections.release(connection, purpose, reader.keepAliveMs())
    else connections.discard(connection)
    resolve(toOutcome(reader, end, request, performance.now() - startedAt))
  }
  const user: ConnectionUser = {
    onOpen: () => {
      if (isOver) return
      isSent = true
      connection.send(head, request.body)
    },
    onData: (bytes) => {
      if (!isSent) return replace()
      const end = reader.read(bytes)
      if (end) finish(end)
      else if (reader.status() > 0 && !needsBody) waitForRest ??= setTimeout(() => finish('timeout'), restMs)
    },
    onEnd: (error) => {
      const end = error ? toRequestError(error) : reader.end()
      if (isReused && end !== 'stopped' && (!isSent || (!needsBody && !reader.hasBegun()))) replace()
      else finish(end)
    },
  }
  /** The receiver closed the idle connection and never saw the request, so this is not the receiver's failure. */
  const replace = () => {
    isReused = false
    isSent = false
    connections.discard(connection)
    connection = connections.open(purpose, user)
  }
  const deadline = setTimeout(() => finish(isSent ? 'timeout' : 'connect_timeout'), request.timeoutMs)
  const idle = connections.takeIdle(purpose, user)
  let isReused = idle !== undefined
  let connection: Connection = idle ?? connections.open(purpose, user)
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

/** Invalid UTF-8 becomes U+FFFD; a character that the cut has split is left out. */
const decode = (bytes: Buffer, isCut: boolean): string =>
  isCut ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }) : bytes.toString()
