import { createReceiving, type HandlerOptions } from './answer.ts'
import { consumed, readBody } from './read-body.ts'

/** For frameworks that pass a `Request` and take a `Response`: edge runtimes, Deno, Bun, Hono, Next.js, … */
export function fetchHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  const { answer } = createReceiving(options)
  return async (request) => {
    const { status, headers, body } = await answer(() => bodyOf(request))
    // A 204 must not have a body, not even an empty one.
    return new Response(body || null, { status, headers })
  }
}

function bodyOf({ body, bodyUsed }: Request) {
  // Locked: something else is about to read it.
  if (bodyUsed || body?.locked) throw consumed()
  return body ? readBody(body) : ''
}
