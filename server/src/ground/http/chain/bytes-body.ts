import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest } from '../../errors.ts'
import type { Operation } from './operation.ts'

type Bytes = NonNullable<Operation['bytes']>

export const anyBytes = 'application/octet-stream'

/** The routes of `scope` take bodies of these media types and no JSON. What the bytes are is for the operation to find out. */
export function readBytes(scope: FastifyInstance, { mediaTypes, maxBytes }: Bytes) {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    [anyBytes, ...mediaTypes],
    { parseAs: 'buffer', bodyLimit: maxBytes },
    (_request, body, done) => done(null, body),
  )
}

export async function requireBytes({ body }: FastifyRequest) {
  if (!Buffer.isBuffer(body) || body.length === 0) throw badRequest('required', 'body: is required')
}
