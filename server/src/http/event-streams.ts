import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, internalError, tooManyStreams, unavailable } from '../errors.ts'
import { createCounter } from '../runtime/counter.ts'
import { runEvery } from '../runtime/interval.ts'
import { eventStreamType } from './accept.ts'
import { toApiError } from './error-reply.ts'
import type { Live } from './operation.ts'

/** A silent stream sends a comment this often, because proxies give up connections that are silent for a minute. */
const commentMs = 15_000
/** Between two tries to read on while the database is unavailable. */
const retryMs = 1_000
/** Characters that are written at once; a reader that is slow holds up no more than this and one message. */
const charactersPerWrite = 16_384

/** One message (HTML, 9.2.5). Neither `id` nor `data` has a line break. Without `data` it only says where to resume. */
export type Message = {
  id: string
  event?: string
  data?: string
  /** A client that has not taken it by then is disconnected; it resumes, and gets the message anew. */
  sentWithinMs?: number
}

export type MessageSource = {
  /**
   * The next messages. Waits until there are some; may resolve to none. Called again once these are sent, and no more after the
   * stream has ended. A 503 is tried again; any other error is the stream's last message.
   */
  next(): Promise<Message[]>
  /** Where the client may resume, with all that was sent so far behind it. */
  position(): string
}

/** For all clients, and for those with one key. One organization may have half of all, whatever keys it has. */
export type StreamLimits = { total: number; perKey: number }

type Caller = { organizationId: string; keyId: string }

export type EventStreams = ReturnType<typeof createEventStreams>

/** Undefined: the reply is no stream. `over` aborts when the client has left. */
export function liveAs(mediaType: string | undefined, request: FastifyRequest, over: AbortSignal): Live | undefined {
  if (mediaType !== eventStreamType) return undefined
  const lastEventId = request.headers['last-event-id']
  // A browser's `EventSource` has an empty one before its first event.
  return { lastEventId: lastEventId ? String(lastEventId) : undefined, signal: over }
}

/** The streams of a process: their limits, their life, and their common end. */
export function createEventStreams(limits: StreamLimits) {
  const ofKey = createCounter()
  const ofOrganization = createCounter()
  const perOrganization = Math.ceil(limits.total / 2)
  const ends = new Set<() => void>()
  let isEnding = false

  return {
    /** Counts a stream until `over` aborts. Throws a 429 at a limit. */
    admit({ organizationId, keyId }: Caller, over: AbortSignal) {
      if (isEnding) throw unavailable()
      if (ofKey.of(keyId) >= limits.perKey) throw tooManyStreams(`${limits.perKey} with one key`)
      if (ofOrganization.of(organizationId) >= perOrganization)
        throw tooManyStreams(`${perOrganization} of one organization`)
      if (ofKey.total() >= limits.total) throw tooManyStreams(`${limits.total} in all`)
      if (over.aborted) return
      ofKey.add(keyId)
      ofOrganization.add(organizationId)
      over.addEventListener('abort', () => {
        ofKey.remove(keyId)
        ofOrganization.remove(organizationId)
      })
    },
    /** Sends what `source` gives, until the client leaves, `stillAllowed` rejects, or the service stops. */
    begin(options: StreamOptions) {
      const { request, reply, over } = options
      reply.hijack()
      if (over.aborted) return
      reply.raw.writeHead(200, headersOf(reply))
      if (request.method === 'HEAD') return void reply.raw.end()
      const end = stream(options)
      ends.add(end)
      over.addEventListener('abort', () => ends.delete(end))
      if (isEnding) end()
    },
    count: () => ends.size,
    /** Clients come back to another process, and resume. */
    endAll() {
      isEnding = true
      for (const end of ends) end()
    },
  }
}

type StreamOptions = {
  request: FastifyRequest
  reply: FastifyReply
  source: MessageSource
  /** Aborts when the connection closes. */
  over: AbortSignal
  /** Asked with each comment; rejects when the caller may read no more. */
  stillAllowed(): Promise<unknown>
  log: FastifyBaseLogger
}

/** Returns what ends the stream. */
function stream({ request, reply, source, over, stillAllowed, log }: StreamOptions): () => void {
  const response = reply.raw
  const write = createWriter(response, over)
  /** The last that the client was told. */
  let toldId = ''
  let isSending = false
  let isEnded = false

  const send = async (messages: Message[]) => {
    isSending = true
    for (const { text, lastId, sentWithinMs } of joined(messages)) {
      if (isEnded) return
      toldId = lastId
      await write(text, sentWithinMs)
    }
    isSending = false
  }

  /** A comment, with the place to resume where it has changed: a filter may let nothing through for months. */
  const toComment = (text: string) => {
    const position = isSending ? toldId : source.position()
    const line = position === toldId ? '' : `id: ${position}\n`
    toldId = position
    return `:${text}\n${line}\n`
  }

  const end = (error?: ApiError) => {
    if (isEnded) return
    isEnded = true
    void beat.stop()
    // What a slow reader has not taken would delay the stop of the service.
    if (!error && response.writableLength > 0) response.destroy()
    else response.end(error ? toText({ event: 'error', data: JSON.stringify({ errors: error.problems }) }) : '')
  }

  const fail = async (error: unknown) => {
    const known = toApiError(error, request)
    if (known?.status === 503) return
    if (!known) log.error({ err: error, requestId: request.id }, 'event stream failed')
    end(known ?? internalError(request.id))
  }

  const comment = async () => {
    // A reader that is behind has enough to read.
    if (response.writableLength === 0) response.write(toComment(''))
    await stillAllowed()
  }

  const pump = async () => {
    // At once: clients and proxies see that the request was accepted.
    await write(toComment(' connected'))
    while (!isEnded && !over.aborted) await source.next().then(send).catch(failThenWait)
  }

  const failThenWait = async (error: unknown) => {
    await fail(error)
    await wait(retryMs, undefined, { signal: over, ref: false }).catch(() => {})
  }

  const beat = runEvery(commentMs, comment, fail)
  over.addEventListener('abort', () => void beat.stop())
  void pump()
  return end
}

/**
 * A connection is used for one stream: it never becomes idle, and nothing that was sent behind the request would ever be answered.
 * nginx would hold back what it does not have a whole buffer of.
 */
const headersOf = (reply: FastifyReply) => ({
  ...(reply.getHeaders() as Record<string, string>),
  'content-type': eventStreamType,
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  connection: 'close',
})

/** Resolves once the operating system has taken it, or the connection is closed. */
function createWriter(response: ServerResponse, over: AbortSignal) {
  let done = () => {}
  over.addEventListener('abort', () => done())
  return (text: string, withinMs?: number) =>
    new Promise<void>((resolve) => {
      const timer = withinMs === undefined ? undefined : setTimeout(() => response.destroy(), withinMs)
      done = () => {
        clearTimeout(timer)
        resolve()
      }
      if (over.aborted) done()
      // After an error the connection is closing, and `over` aborts.
      else response.write(text, (error) => error || done())
    })
}

type Piece = { text: string; lastId: string; sentWithinMs: number | undefined }

function* joined(messages: Message[]): Generator<Piece> {
  let text = ''
  for (const [index, message] of messages.entries()) {
    text += toText(message)
    const { id: lastId, sentWithinMs } = message
    if (text.length < charactersPerWrite && index < messages.length - 1) continue
    yield { text, lastId, sentWithinMs }
    text = ''
  }
}

function toText({ id, event, data }: Partial<Message>): string {
  const lines = Object.entries({ id, event, data }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\n`],
  )
  return `${lines.join('')}\n`
}
