import { createReceiving, type HandlerOptions } from './answer.ts'
import { consumed, readBody } from './read-body.ts'

/** The part of `http.IncomingMessage` that is needed, and what a body parser of Express adds to it. */
type NodeRequest = AsyncIterable<Uint8Array> & { body?: unknown; readableDidRead?: boolean; httpVersionMajor?: number }
/** The part of `http.ServerResponse` that is needed. */
type NodeResponse = { writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown } }

/**
 * For `node:http`, `node:https`, `node:http2` and Express. No body parser need run before it; `express.text` and
 * `express.raw` may, for they leave the body as it came. The promise never rejects: Express 4 and `node:http` would let it
 * end the process.
 */
export function nodeHandler(options: HandlerOptions): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const { answer, report } = createReceiving(options)
  return async (request, response) => {
    const { status, headers, body } = await answer(() => bodyOf(request))
    // What is left of a body that is too large is never read: such a connection of HTTP/1.1 cannot be used again.
    const ending = status === 413 && request.httpVersionMajor === 1 ? { connection: 'close' } : {}
    try {
      response.writeHead(status, { ...headers, ...ending }).end(body)
    } catch (error) {
      // Something else has answered already, such as a middleware that limits the time.
      report(error)
    }
  }
}

function bodyOf(request: NodeRequest) {
  if (typeof request.body === 'string' || request.body instanceof Uint8Array) return request.body
  if (request.readableDidRead) throw consumed()
  return readBody(request)
}
