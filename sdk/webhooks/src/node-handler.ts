import { createReceiving, type HandlerOptions } from './answer.ts'
import { consumed, encodedAs, isUnparsed, readBody } from './read-body.ts'

/** The part of `http.IncomingMessage` that is used, and the body that a parser of Express adds to it. */
type NodeRequest = AsyncIterable<Uint8Array | string> & {
  body?: unknown
  readableDidRead?: boolean
  readableEncoding?: string | null
  httpVersionMajor?: number
}
/** The part of `http.ServerResponse` that is used. */
type NodeResponse = { writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown } }

/**
 * For `node:http`, `node:https`, `node:http2` and Express. It needs no body parser; `express.text`, `express.raw` and
 * `request.setEncoding('utf8')` are allowed, because they do not change the body. The promise never rejects: with Express 4 and `node:http` that would end
 * the process.
 */
export function nodeHandler(options: HandlerOptions): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const { answer, report } = createReceiving(options)
  return async (request, response) => {
    const { status, headers, body } = await answer(() => bodyOf(request))
    // The rest of a body that is too large is never read, so an HTTP/1.1 connection cannot be reused.
    const ending: Record<string, string> =
      status === 413 && request.httpVersionMajor === 1 ? { connection: 'close' } : {}
    try {
      response.writeHead(status, { ...headers, ...ending }).end(body)
    } catch (error) {
      // Something else has already responded, such as a middleware with a timeout.
      report(error)
    }
  }
}

/** After `setEncoding` with one of these a JWT, which is ASCII, reads as it came. */
const plainEncodings = ['utf8', 'utf-8', 'ascii', 'latin1', 'binary']

function bodyOf(request: NodeRequest) {
  const { body, readableDidRead, readableEncoding } = request
  if (isUnparsed(body)) return body
  if (readableDidRead) throw consumed()
  if (readableEncoding && !plainEncodings.includes(readableEncoding)) throw encodedAs(readableEncoding)
  return readBody(request)
}
