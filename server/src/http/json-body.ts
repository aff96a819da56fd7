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
    if (problem) return done(problem)
    const text = body.toString()
    parse(request, text, (error, value) => done(error && isJson(text) ? forbiddenMember() : error, value))
  })
}

/** Fastify's parser tells no difference between what is no JSON and what could change all objects of the process. */
const forbiddenMember = () =>
  badRequest('body: must not have a member called __proto__, or constructor with a member called prototype')

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Where there are no bytes, no type of theirs can be wrong. */
export function ignoreTypeOfNothing({ headers }: FastifyRequest) {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
  if (length === '0' && coding === undefined) delete headers['content-type']
}

type BodySchema = { type?: string; required?: string[] }

/** No body is taken, or one whose members are all optional. */
export const isBodyOptional = ({ routeOptions }: FastifyRequest): boolean =>
  mayBeLeftOut(routeOptions.schema?.body as BodySchema | undefined)

/** Whether a body may be left out that has this schema, or none. */
export const mayBeLeftOut = (body: BodySchema | undefined): boolean =>
  !body || (body.type === 'object' && !body.required?.length)

function problemOf({ headers }: FastifyRequest, body: Buffer): Error | undefined {
  const [, named] = charset.exec(headers['content-type'] ?? '') ?? []
  if (named !== undefined && !/^utf-?8$/i.test(named)) return wrongCharset()
  if (!isUtf8(body)) return badRequest('body: must be UTF-8')
  const twice = memberGivenTwice(body)
  return twice === undefined ? undefined : badRequest(`${twice}: must be given once`)
}
