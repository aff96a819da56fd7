import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, wrongCharset } from '../errors.ts'
import { memberGivenTwice } from './json-members.ts'

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** JSON alone, and in UTF-8 alone: other bytes would be stored as something else. */
export function readJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // Many clients name the type on every call, also where there is no body to send.
    if (body.length === 0 && isBodyOptional(request)) return done(null, undefined)
    const problem = problemOf(request, body)
    return problem ? done(problem) : parse(request, body.toString(), done)
  })
}

/** Where there are no bytes, no type of theirs can be wrong. */
export function ignoreTypeOfNothing({ headers }: FastifyRequest) {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
  if (length === '0' && coding === undefined) delete headers['content-type']
}

/** No body is taken, or one whose members are all optional. */
export function isBodyOptional({ routeOptions }: FastifyRequest): boolean {
  const body = routeOptions.schema?.body as { type?: string; required?: string[] } | undefined
  return !body || (body.type === 'object' && !body.required?.length)
}

function problemOf({ headers }: FastifyRequest, body: Buffer): Error | undefined {
  const [, named] = charset.exec(headers['content-type'] ?? '') ?? []
  if (named !== undefined && !/^utf-?8$/i.test(named)) return wrongCharset()
  if (!isUtf8(body)) return badRequest('body: must be UTF-8')
  const twice = memberGivenTwice(body)
  return twice === undefined ? undefined : badRequest(`${twice}: must be given once`)
}
