import { type CallError, toCallError } from './call-error.ts'
import type { Connections } from './connections.ts'

export type Call = {
  /** https only. */
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
      durationMs: number
      /** The beginning of the body, without a character that was cut. */
      answer: string
      /** Whether the body went on after that, or was not read to its end. */
      truncated: boolean
    }
  | { kind: 'failed'; error: CallError; durationMs: number }

/** So much of a body is read; with a longer one the connection is not kept. */
const maxBodyBytes = 64 * 1024

/**
 * Posts on a connection of its own and gives it back when the answer has come to its end. Redirects are answers like any
 * other; statuses below 200 are none (6.2, rule 2). The deadline is one timer for everything: to let undici watch an
 * AbortSignal would cost 15 µs a call more (measured), and it does not look at one while it connects.
 */
export function makeCall(call: Call, url: URL, connections: Connections): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const startedAt = performance.now()
  const connection = connections.take(url)
  const body = receiveBody(call.keepAnswerBytes)
  let status: number | undefined
  let isSent = false
  let isOver = false

  const settle = (error: CallError | undefined) => {
    isOver = true
    clearTimeout(deadline)
    const durationMs = performance.now() - startedAt
    if (error || status === undefined) resolve({ kind: 'failed', error: error ?? 'bad_response', durationMs })
    else resolve({ kind: 'answered', status, durationMs, ...body.result() })
  }
  const breakOff = (error: CallError | undefined) => {
    if (isOver) return
    settle(status === undefined || call.needsBody ? error : undefined)
    connections.discard(connection)
  }
  const deadline = setTimeout(() => breakOff(isSent ? 'timeout' : 'connect_timeout'), call.timeoutMs)

  connection.client.dispatch(
    { path: `${url.pathname}${url.search}`, method: 'POST', headers: call.headers, body: call.body },
    {
      onRequestStart: () => {
        isSent = true
      },
      onResponseStart: (_, statusCode) => {
        if (statusCode >= 200) status = statusCode
      },
      onResponseData: (_, chunk) => {
        if (body.add(chunk) > maxBodyBytes) breakOff(undefined)
      },
      onResponseEnd: () => {
        if (isOver) return
        body.end()
        settle(undefined)
        connections.giveBack(connection)
      },
      onResponseError: (_, error) => breakOff(toCallError(error)),
    },
  )
  return promise
}

function receiveBody(keep: number) {
  const kept: Buffer[] = []
  let bytes = 0
  let hasEnded = false
  return {
    /** Gives the number of bytes that have come. */
    add: (chunk: Buffer): number => {
      if (bytes < keep) kept.push(chunk)
      bytes += chunk.length
      return bytes
    },
    end: () => {
      hasEnded = true
    },
    result: () => {
      const truncated = !hasEnded || bytes > keep
      return { answer: decode(Buffer.concat(kept).subarray(0, keep), truncated), truncated }
    },
  }
}

/** What is not UTF-8 becomes U+FFFD, but for the beginning of a character at the place of the cut. */
const decode = (bytes: Buffer, isCut: boolean): string =>
  isCut ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }) : bytes.toString()
