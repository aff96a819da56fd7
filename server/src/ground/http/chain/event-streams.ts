import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, internalError, tooManyStreams, unavailable } from '../../errors.ts'
import { createCounter } from '../../runtime/counter.ts'
import { runEvery } from '../../runtime/interval.ts'
import { type Message, type Piece, piecesOf, toText } from '../socket/stream-pieces.ts'
import { createWritingTurns, type WriteInTurn } from '../socket/writing-turns.ts'
import { eventStreamType } from './accept.ts'
import { envelopeOf, toApiError } from './error-reply.ts'
import type { Live } from './operation.ts'

/** A silent stream sends a comment this often, because proxies give up connections that are silent for a minute. */
const commentMs = 15_000
/** Between two tries to read on while the database is unavailable. */
const retryMs = 1_000

export type MessageSource = {
  /**
   * The next messages: streams that get the same array share what is written of it. Waits until there are some; may resolve to none.
   * Called again once these are sent, and no more after the stream has ended. A 503 is tried again; any other error is the stream's
   * last message.
   */
  next(): Promise<readonly Message[]>
  /** Where the client may resume, with all that was sent so far behind it. */
  position(): string
}

/** Of all clients, and of those with one key. */
type StreamLimits = { total: number; perKey: number }

/** No organization has more of all. */
const shareOfOrganization = 1 / 4

/** `listeners`: what of the streams is signed for each target; they count against no limit of the others. */
type Limits = { streams: StreamLimits; listeners: StreamLimits }

type Caller = { organizationId: string; principalId: string }

export type EventStreams = ReturnType<typeof createEventStreams>

/** Undefined: the reply is no stream. `over` aborts when the client has left. */
export function liveAs(mediaType: string | undefined, request: FastifyRequest, over: AbortSignal): Live | undefined {
  if (mediaType !== eventStreamType) return undefined
  const lastEventId = request.headers['last-event-id']
  // A browser's `EventSource` has an empty one before its first event.
  return { lastEventId: lastEventId ? String(lastEventId) : undefined, signal: over }
}

/** The streams of a process: their limits, their life, and their common end. */
export function createEventStreams(limits: Limits) {
  const admitted = {
    streams: createAdmission('event streams', limits.streams),
    listeners: createAdmission('listeners', limits.listeners),
  }
  const writeInTurn = createWritingTurns()
  const ends = new Set<() => void>()
  let isEnding = false

  return {
    /** Counts a stream until `over` aborts. Throws a 429 at a limit. */
    admit(kind: keyof Limits, caller: Caller, over: AbortSignal) {
      if (isEnding) throw unavailable()
      admitted[kind](caller, over)
    },
    /** Sends what `source` gives, until the client leaves, `stillAllowed` rejects, or the service stops. */
    begin(options: StreamOptions) {
      const { request, reply, over } = options
      reply.hijack()
      if (over.aborted) return
      reply.raw.writeHead(200, headersOf(reply))
      if (request.method === 'HEAD') return void reply.raw.end()
      const end = stream(options, writeInTurn)
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

function createAdmission(what: string, { total, perKey }: StreamLimits) {
  const ofKey = createCounter()
  const ofOrganization = createCounter()
  const mostOfOrganization = Math.ceil(total * shareOfOrganization)
  return ({ organizationId, principalId }: Caller, over: AbortSignal) => {
    if (ofKey.of(principalId) >= perKey) throw tooManyStreams(`${what}: at most ${perKey} with one key`)
    if (ofOrganization.of(organizationId) >= mostOfOrganization)
      throw tooManyStreams(`${what}: at most ${mostOfOrganization} of one organization`)
    if (ofKey.total() >= total) throw tooManyStreams(`${what}: at most ${total} in all`)
    if (over.aborted) return
    ofKey.add(principalId)
    ofOrganization.add(organizationId)
    over.addEventListener('abort', () => {
      ofKey.remove(principalId)
      ofOrganization.remove(organizationId)
    })
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
function stream({ request, reply, source, over, stillAllowed, log }: StreamOptions, writeInTurn: WriteInTurn) {
  const response = reply.raw
  const write = createWriter(response, over, (bytes, work) => writeInTurn(request.organizationId, bytes, work))
  /** The last that the client was told. */
  let toldId = ''
  let isSending = false
  let isEnded = false

  const send = async (messages: readonly Message[]) => {
    isSending = true
    for (const piece of piecesOf(messages)) {
      if (isEnded) return
      toldId = piece.lastId
      await write(piece)
    }
    isSending = false
  }

  /** A comment, with the cursor to resume after where it has changed: a filter may let nothing through for months. */
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
    else response.end(error ? toText(lastMessage(error)) : '')
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
    await write({ bytes: Buffer.from(toComment(' connected')) })
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

/** Its headers are sent long since: the codes stand beside the errors. */
const lastMessage = ({ problems }: ApiError) => ({
  event: 'error',
  data: JSON.stringify({ ...envelopeOf(problems), codes: problems.map(({ code }) => code) }),
})

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

type Written = Pick<Piece, 'bytes'> & Partial<Pick<Piece, 'sentWithinMs'>>

/** Resolves once the operating system has taken it, or the connection is closed. What is written is not copied. */
function createWriter(response: ServerResponse, over: AbortSignal, inTurn: (bytes: number, work: () => void) => void) {
  let done = () => {}
  over.addEventListener('abort', () => done())
  return ({ bytes, sentWithinMs }: Written) =>
    new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout | undefined
      done = () => {
        clearTimeout(timer)
        resolve()
      }
      if (over.aborted) return done()
      inTurn(bytes.length, () => {
        if (over.aborted || response.writableEnded) return
        // Its time may have been over while it waited for its turn: then it is not sent any more.
        const leftMs = sentWithinMs?.() ?? Infinity
        if (leftMs <= 0) return void response.destroy()
        if (leftMs < Infinity) timer = setTimeout(() => response.destroy(), leftMs)
        // After an error the connection is closing, and `over` aborts.
        response.write(bytes, (error) => error || done())
      })
    })
}
