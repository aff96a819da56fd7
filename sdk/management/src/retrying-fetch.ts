import { eventStreamType, silenceMs } from './event-stream.ts'
import { pause } from './pause.ts'
import { retryAfterMs } from './retry-after.ts'
import { refusalsIn } from './signet-error.ts'

type Limits = {
  /** Requests after the first one. */
  retries: number
  /** For each request. */
  timeoutMs: number
}

/** A service that asks for a longer pause is not waited for: the caller is told instead. */
const maxPauseMs = 60_000
const firstPauseMs = 250
/** What timers can wait for. */
const maxTimerMs = 2 ** 31 - 1

/** Statuses of an unavailable service, and of a proxy that does not reach it. */
const unavailable = [502, 503, 504]

/** What it does, calling a webhook, happens outside of Signet, which cannot say that it was done. */
const dryRun = /\/dry-run$/
const idempotencyKey = 'Idempotency-Key'
/** Shows a new secret, and only the first time. */
const changeOfApplication = /\/organizations\/applications\/[^/]+$/
const readingMethods = ['GET', 'HEAD']
const idempotentMethods = [...readingMethods, 'PUT', 'PATCH', 'DELETE']

/**
 * A `fetch` that sends a request again where that is safe. A 429 says that nothing was done, so any request is repeated.
 * A lost connection, 502, 503 and 504 do not say so: only idempotent requests are repeated. A POST is made one by a key that it keeps:
 * Signet does it once, and answers a repetition as the first. After a 408 only a read is: a change may be made, and a second wait would
 * begin. Pauses double from 250 ms; a `Retry-After` of up to 60 s is obeyed.
 */
export function createRetryingFetch(send: typeof fetch, { retries, timeoutMs }: Limits): typeof fetch {
  return async (input, init) => {
    const request = withIdempotencyKey(new Request(input, init))
    let mayBeDone = false
    for (let attempt = 0; ; attempt++) {
      const reply = await sendOnce(send, request, isForStream(request) ? Math.min(timeoutMs, silenceMs) : timeoutMs)
      const pauseMs = attempt < retries ? pauseAfter(reply, request, attempt) : undefined
      if (pauseMs === undefined) return mayBeDone ? afterRepetition(request, settled(reply)) : settled(reply)
      mayBeDone ||= !('status' in reply && reply.status === 429)
      await pause(pauseMs, request.signal)
    }
  }
}

/** A key that the caller gave stays. */
function withIdempotencyKey(request: Request): Request {
  if (isKeyed(request) && !request.headers.has(idempotencyKey)) request.headers.set(idempotencyKey, crypto.randomUUID())
  return request
}

/** Only calls with an API key are known again. */
const isKeyed = ({ method, url, headers }: Request) =>
  method === 'POST' && headers.has('Service-API-Key') && !dryRun.test(new URL(url).pathname)

type Reply = Response | { failure: unknown }

/** With its body, which the connection may lose as well; a stream of events is left to its reader. */
async function sendOnce(send: typeof fetch, request: Request, timeoutMs: number): Promise<Reply> {
  const limit = new AbortController()
  const expire = () => limit.abort(new DOMException(`no reply within ${timeoutMs} ms`, 'TimeoutError'))
  const timer = setTimeout(expire, Math.min(timeoutMs, maxTimerMs))
  try {
    const reply = await send(request.clone(), { signal: AbortSignal.any([request.signal, limit.signal]) })
    if (isToBeLeft(reply)) return reply
    const body = await reply.arrayBuffer()
    return new Response(body.byteLength > 0 ? body : null, reply)
  } catch (failure) {
    request.signal.throwIfAborted()
    return { failure }
  } finally {
    clearTimeout(timer)
  }
}

/** What a browser tells of a redirect has status 0, which no other reply can be given. */
const isToBeLeft = ({ type, headers }: Response) =>
  type === 'opaqueredirect' || !!headers.get('Content-Type')?.startsWith(eventStreamType)

/** Its first byte comes at once. Where it does not, something holds it back, and would do so again. */
const isForStream = ({ headers }: Request) => !!headers.get('Accept')?.startsWith(eventStreamType)

function settled(reply: Reply): Response {
  if ('failure' in reply) throw reply.failure
  return reply
}

/** Milliseconds until the request may be sent again; undefined where it must not be. */
function pauseAfter(reply: Reply, request: Request, attempt: number): number | undefined {
  if (!mayRepeatAfter(reply, request)) return undefined
  const doubled = Math.min(firstPauseMs * 2 ** attempt * (0.75 + Math.random() / 2), maxPauseMs)
  const askedMs = 'failure' in reply ? 0 : retryAfterMs(reply.headers)
  return askedMs <= maxPauseMs ? Math.max(askedMs, doubled) : undefined
}

function mayRepeatAfter(reply: Reply, request: Request): boolean {
  if ('failure' in reply) return isIdempotent(request) && !(isForStream(request) && isTimeout(reply.failure))
  if (isBeingHandled(reply)) return true
  if (reply.status === 408) return readingMethods.includes(request.method)
  return reply.status === 429 || (unavailable.includes(reply.status) && isIdempotent(request))
}

/** By an earlier request, whose reply was lost. */
const isBeingHandled = ({ status, headers }: Response) =>
  status === 409 && headers.get('Signet-Error') === 'idempotency_key_in_use'

function isIdempotent(request: Request): boolean {
  const { method, url } = request
  const { pathname } = new URL(url)
  if (method === 'POST') return isKeyed(request)
  return idempotentMethods.includes(method) && !(method === 'PATCH' && changeOfApplication.test(pathname))
}

export const isTimeout = (failure: unknown) => failure instanceof DOMException && failure.name === 'TimeoutError'

/** What a repeated deletion does not find, by Signet's own word, was deleted by an earlier request, whose reply was lost. */
async function afterRepetition(request: Request, reply: Response): Promise<Response> {
  if (request.method !== 'DELETE' || reply.status !== 404) return reply
  const body = await reply
    .clone()
    .json()
    .catch(() => undefined)
  return refusalsIn(body).length > 0 ? Response.json({}) : reply
}
