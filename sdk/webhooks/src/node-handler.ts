import { answerer, type HandlerOptions } from './answer.ts'
import { readBody } from './read-body.ts'

/** The part of `http.IncomingMessage` that is needed, and what a body parser of Express adds to it. */
type NodeRequest = AsyncIterable<Uint8Array> & { body?: unknown }
/** The part of `http.ServerResponse` that is needed. */
type NodeResponse = { writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown } }

/**
 * For `node:http`, `node:https` and Express. No body parser need run before it; `express.text` and `express.raw` may, for
 * they leave the body as it came.
 */
export function nodeHandler(options: HandlerOptions): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const answer = answerer(options)
  return async (request, response) => {
    const { status, headers, body } = await answer(() => bodyOf(request))
    // What is left of a body that is too large is never read: the connection cannot be used again.
    const ending = status === 413 ? { connection: 'close' } : {}
    response.writeHead(status, { ...headers, ...ending }).end(body)
  }
}

const bodyOf = (request: NodeRequest) =>
  typeof request.body === 'string' || request.body instanceof Uint8Array ? request.body : readBody(request)
