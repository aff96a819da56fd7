import type { IncomingHttpHeaders } from 'node:http'
import { type CallError, toCallError } from './call-error.ts'
import type { Connections } from './connections.ts'

export type Call = {
  /** https only, but for the door's `trustedOrigins`. */
  url: string
  /** `[name, value, name, value]`, each pair a line. */
  headers: string[]
  body: string
  /** For everything together: name, connection, request and answer. */
  timeoutMs: number
  /** Of the answer's body, at most. */
  keepAnswerBytes: number
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
    }
  | { kind: 'failed'; error: CallError; durationMs: number }

/** So much of a body is read, or what is kept where that is more; after a longer one the connection is not kept. */
const readBodyBytes = 64 * 1024

/** How a call ends: with the whole answer, with as much of it as is read, or with an error, perhaps within the body. */
type End = 'whole' | 'too_long' | CallError

/**
 * One attempt, on a connection that no other call has meanwhile. Redirects are answers like any other. One timer is the
 * deadline for everything: undici looks at no signal while it connects, and its `request` with an AbortController takes
 * 47 µs of CPU a call, this 30 (measured).
 */
export function makeCall(method: 'GET' | 'POST', call: Call, url: URL, connections: Connections): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const startedAt = performance.now()
  const connection = connections.take(url)
  const answer = receiveAnswer(call)
  const maxBodyBytes = Math.max(readBodyBytes, call.keepAnswerBytes)
  let isSent = false
  let isOver = false

  const finish = (end: End) => {
    if (isOver) return
    isOver = true
    clearTimeout(deadline)
    resolve(answer.toOutcome(end, performance.now() - startedAt))
    if (end === 'whole') connections.giveBack(connection)
    else connections.discard(connection)
  }
  const deadline = setTimeout(() => finish(isSent ? 'timeout' : 'connect_timeout'), call.timeoutMs)

  connection.client.dispatch(
    { path: `${url.pathname}${url.search}`, method, headers: call.headers, body: call.body },
    {
      onRequestStart: () => {
        isSent = true
      },
      onResponseStart: (_, status, headers) => answer.begin(status, headers),
      onResponseData: (_, chunk) => {
        if (answer.add(chunk) > maxBodyBytes) finish('too_long')
      },
      onResponseEnd: () => finish('whole'),
      onResponseError: (_, error) => finish(toCallError(error)),
    },
  )
  return promise
}

function receiveAnswer({ keepAnswerBytes, needsBody }: Call) {
  const kept: Buffer[] = []
  let bytes = 0
  let status = 0
  let headers: Record<string, string | string[]> = {}
  return {
    /** Statuses below 200 announce an answer and are none (6.2, rule 2). */
    begin: (code: number, received: IncomingHttpHeaders) => {
      if (code < 200) return
      status = code
      headers = received as Record<string, string | string[]>
    },
    /** Gives the length of the body so far. */
    add: (chunk: Buffer): number => {
      if (bytes < keepAnswerBytes) kept.push(chunk)
      bytes += chunk.length
      return bytes
    },
    toOutcome: (end: End, durationMs: number): Outcome => {
      const error = end === 'whole' || end === 'too_long' ? undefined : end
      if (error && (needsBody || status === 0)) return { kind: 'failed', error, durationMs }
      const truncated = end !== 'whole' || bytes > keepAnswerBytes
      const answer = decode(Buffer.concat(kept).subarray(0, keepAnswerBytes), truncated)
      return { kind: 'answered', status, headers, durationMs, answer, truncated }
    },
  }
}

/** What is not UTF-8 becomes U+FFFD; the beginning of a character at the place of the cut is left out. */
const decode = (bytes: Buffer, isCut: boolean): string =>
  isCut ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }) : bytes.toString()
