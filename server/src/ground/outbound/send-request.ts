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

/** `resent`: a kept connection ended before the first byte of a response, so the receiver may have had the request twice. */
export type Outcome = { resent?: true } & (
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
)

/** 2XX alone (6.2, rule 2). */
export const isSuccess = (outcome: Outcome): outcome is Outcome & { kind: 'answered' } =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299

const standardMaxBytes = 64 * 1024
/** How long the rest of a response is read once its status has decided: for the log, and so that the connection can be reused. */
const restMs = 1_000

/** One request while it is made. */
type Sending = {
  request: OutboundRequest
  head: string
  connections: Connections
  purpose: Parameters<Connections['open']>[0]
  user: ConnectionUser
  connection: Connection
  /** It was idle before, and has not been replaced. */
  isReused: boolean
  reader: ResponseReader
  startedAt: number
  isSent: boolean
  /** On the connection that was replaced. */
  wasSent: boolean
  isOver: boolean
  deadline: NodeJS.Timeout
  waitForRest: NodeJS.Timeout | undefined
  resolve: (outcome: Outcome) => void
}

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
  const { keptFor, needsBody = false, maxResponseBytes = standardMaxBytes, keepBodyBytes, timeoutMs } = request
  const purpose = { url, keptFor, needsBody }
  const user: ConnectionUser = {
    onOpen: () => send(sending),
    onData: (bytes) => receive(sending, bytes),
    onEnd: (error) => endWithConnection(sending, error),
  }
  const idle = connections.takeIdle(purpose, user)
  const sending: Sending = {
    request,
    head: toHead(method, url, request.headers, request.body),
    connections,
    purpose,
    user,
    connection: idle ?? connections.open(purpose, user),
    isReused: idle !== undefined,
    reader: createResponseReader({ maxBytes: maxResponseBytes, keepBytes: keepBodyBytes }),
    startedAt: performance.now(),
    isSent: false,
    wasSent: false,
    isOver: false,
    deadline: setTimeout(() => finish(sending, sending.isSent ? 'timeout' : 'connect_timeout'), timeoutMs),
    waitForRest: undefined,
    resolve,
  }
  return promise
}

function send(sending: Sending) {
  if (sending.isOver) return
  sending.isSent = true
  sending.connection.send(sending.head, sending.request.body)
}

function receive(sending: Sending, bytes: Buffer) {
  if (!sending.isSent) return replaceConnection(sending)
  const { reader, purpose } = sending
  const end = reader.read(bytes)
  if (end) finish(sending, end)
  else if (reader.status() > 0 && !purpose.needsBody)
    sending.waitForRest ??= setTimeout(() => finish(sending, 'timeout'), restMs)
}

function endWithConnection(sending: Sending, error: Error | undefined) {
  const { isReused, isSent, purpose, reader } = sending
  const end = error ? toRequestError(error) : reader.end()
  const mayReplace = isReused && end !== 'stopped' && (!isSent || (!purpose.needsBody && !reader.hasBegun()))
  if (mayReplace) replaceConnection(sending)
  else finish(sending, end)
}

/** The receiver closed the idle connection and mostly never saw the request, so this is not the receiver's failure. */
function replaceConnection(sending: Sending) {
  const { connections, purpose, user } = sending
  sending.isReused = false
  sending.wasSent = sending.isSent
  sending.isSent = false
  connections.discard(sending.connection)
  sending.connection = connections.open(purpose, user)
}

function finish(sending: Sending, end: ResponseEnd | RequestError) {
  if (sending.isOver) return
  sending.isOver = true
  const { connection, connections, isSent, purpose, reader, request, startedAt, wasSent } = sending
  clearTimeout(sending.deadline)
  clearTimeout(sending.waitForRest)
  if (end === 'whole' && connection.isSent()) connections.release(connection, purpose, reader.keepAliveMs())
  else connections.discard(connection)
  const outcome = toOutcome(reader, end, request, performance.now() - startedAt)
  sending.resolve(wasSent && isSent ? { ...outcome, resent: true } : outcome)
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
