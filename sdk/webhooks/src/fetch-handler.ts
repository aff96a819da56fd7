import { answerer, type HandlerOptions } from './answer.ts'
import { readBody } from './read-body.ts'

/** For whatever takes a `Request` and gives a `Response`: edge runtimes, Deno, Bun, Hono, Next.js, … */
export function fetchHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  const answer = answerer(options)
  return async ({ body: stream }) => {
    const { status, headers, body } = await answer(() => (stream ? readBody(stream) : ''))
    // A 204 must not have a body, not even an empty one.
    return new Response(body || null, { status, headers })
  }
}
