import { createReceiving, type HandlerOptions } from './answer.ts'
import { consumed, maxBodyBytes } from './read-body.ts'

/** The part of a `FastifyInstance` that is needed. */
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
 * For Fastify, as a plugin: `app.register(fastifyPlugin({ path: '/hook', … }))`. It reads `application/jwt` as it came, on
 * its own route alone.
 */
export function fastifyPlugin({ path, ...options }: HandlerOptions & { path: string }) {
  const { answer } = createReceiving(options)
  return async (app: Fastify): Promise<void> => {
    const parsing = { parseAs: 'string', bodyLimit: maxBodyBytes } as const
    // One that the application has would refuse ours. It stays where it is: a plugin has its own parsers.
    app.removeContentTypeParser('application/jwt')
    app.addContentTypeParser('application/jwt', parsing, (_request, body, done) => done(null, body))
    app.post(path, async (request, reply) => {
      const { status, headers, body } = await answer(() => bodyOf(request))
      return reply.code(status).headers(headers).send(body)
    })
  }
}

function bodyOf({ body = '' }: { body: unknown }): string {
  if (typeof body !== 'string') throw consumed()
  return body
}
