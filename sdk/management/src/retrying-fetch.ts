type Limits = {
  /** Requests after the first one. */
  retries: number
  /** For each request. */
  timeoutMs: number
}

/** A service that asks for a longer pause is not waited for: the caller is told instead. */
const maxPauseMs = 60_000
const firstPauseMs = 250

/** Statuses of an unavailable service, and of a proxy that does not reach it. */
const unavailable = [502, 503, 504]

/** Repeating these creates nothing twice: what exists already is answered with success. */
const idempotentPosts = /\/(?:groups|groups\/[^/]+\/persons|webhooks\/[^/]+\/triggers)$/
const idempotentMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']

/**
 * A `fetch` that sends a request again where that is safe. A 429 says that nothing was done, so any request is repeated.
 * A lost connection, 502, 503 and 504 do not say so: only idempotent requests are repeated. A 408 never is: the change may
 * be made, and a second wait would begin. Pauses double from 250 ms; a `Retry-After` of up to 60 s is obeyed.
 */
export function createRetryingFetch(send: typeof fetch, { retries, timeoutMs }: Limits): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const isIdempotent =
      idempotentMethods.includes(request.method) || idempotentPosts.test(new URL(request.url).pathname)
    let mayBeDone = false
    for (let attempt = 0; ; attempt++) {
      const reply = await sendOnce(send, request, timeoutMs)
      const pauseMs = attempt < retries ? pauseAfter(reply, isIdempotent, attempt) : undefined
      if (pauseMs === undefined) return mayBeDone ? afterRepetition(request, settled(reply)) : settled(reply)
      mayBeDone ||= !('status' in reply && reply.status === 429)
      await pause(pauseMs, request.signal)
    }
  }
}

type Reply = Response | { failure: unknown }

/** With its body, which the connection may lose as well. */
async function sendOnce(send: typeof fetch, request: Request, timeoutMs: number): Promise<Reply> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
  try {
    const reply = await send(request.clone(), { signal })
    const body = await reply.arrayBuffer()
    return new Response(body.byteLength > 0 ? body : null, reply)
  } catch (failure) {
    request.signal.throwIfAborted()
    return { failure }
  }
}

function settled(reply: Reply): Response {
  if ('failure' in reply) throw reply.failure
  return reply
}

/** Milliseconds until the request may be sent again; undefined where it must not be. */
function pauseAfter(reply: Reply, isIdempotent: boolean, attempt: number): number | undefined {
  const doubled = firstPauseMs * 2 ** attempt * (0.75 + Math.random() / 2)
  if ('failure' in reply) return isIdempotent ? doubled : undefined
  if (reply.status !== 429 && !(isIdempotent && unavailable.includes(reply.status))) return undefined
  const askedMs = Number(reply.headers.get('Retry-After')) * 1_000 || 0
  return askedMs <= maxPauseMs ? Math.max(askedMs, doubled) : undefined
}

/** What a repeated deletion does not find was deleted by an earlier request, whose reply was lost. */
const afterRepetition = (request: Request, reply: Response) =>
  request.method === 'DELETE' && reply.status === 404 ? new Response(null, { status: 204 }) : reply

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
