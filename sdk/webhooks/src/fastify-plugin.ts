import { createReceiving, type HandlerOptions } from './answer.ts'
import { consumed, isUnparsed, maxBodyBytes } from './read-body.ts'

/** The part of a `FastifyInstance` that is used. */
type Fastify = {
  removeContentTypeParser(contentType: string): unknown
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'string'; bodyLimit: number },
    parser: (request: unknown, body: string, done: (error: null, body: string) => void) => void,
  ): unknown
  post(path: string, handler: (request: { body: unknown }, reply: FastifyReply) => Promise<unknown>): unknown
}
type FastifyReply = {
  code(status: number): { headers(headers: Record<string, string>): { send(body: string): unknown } }
}

/**
 * For Fastify, as a plugin: `app.register(fastifyPlugin({ path: '/hook', … }))`. It reads `application/jwt` unparsed, on
 * its own route only.
 */
export function fastifyPlugin({ path, ...options }: HandlerOptions & { path: string }) {
  const { answer } = createReceiving(options)
  return async (app: Fastify): Promise<void> => {
    const parsing = { parseAs: 'string', bodyLimit: maxBodyBytes } as const
    // A parser of the application would conflict with this one. Plugins have their own parsers, so the application keeps it.
    app.removeContentTypeParser('application/jwt')
    app.addContentTypeParser('application/jwt', parsing, (_request, body, done) => done(null, body))
    app.post(path, async (request, reply) => {
      const { status, headers, body } = await answer(() => bodyOf(request))
      return reply.code(status).headers(headers).send(body)
    })
  }
}

function bodyOf({ body }: { body: unknown }) {
  const left = body ?? ''
  if (!isUnparsed(left)) throw consumed()
  return left
}
