import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, wrongCharset } from '../../errors.ts'
import { hashOfBody } from './idempotency-key.ts'
import { faultOfJson } from './json-fault.ts'
import { memberGivenTwice } from './json-members.ts'

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** Accepts JSON in UTF-8 only: bytes of another encoding would be stored as other characters. */
export function readJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (request.idempotencyKey !== undefined) request.bodyHash = hashOfBody(body)
    // Many clients send a content type with every request, also without a body.
    if (body.length === 0 && isBodyOptional(request)) return done(null, undefined)
    const problem = problemOf(request, body)
    if (problem) return done(problem)
    const text = body.toString()
    parse(request, text, (error, value) => done(error && describeFault(error, text), value))
  })
}

/** Fastify's parser has one error for invalid JSON and for members that could pollute prototypes. */
const forbiddenMember = () =>
  badRequest('body: must not have a member called __proto__, or constructor with a member called prototype')

const describeFault = (error: Error, text: string) => {
  if (text === '') return error
  return isJson(text) ? forbiddenMember() : notJson(text)
}

const notJson = (text: string) => badRequest(`body: must be well-formed JSON: ${faultOfJson(text)}`)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Without a body its content type cannot be wrong. */
export function ignoreTypeOfNoBody({ headers }: FastifyRequest) {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
  if (length === '0' && coding === undefined) delete headers['content-type']
}

type BodySchema = { type?: string; required?: string[] }

export const isBodyOptional = ({ routeOptions }: FastifyRequest): boolean =>
  mayBeLeftOut(routeOptions.schema?.body as BodySchema | undefined)

/** True where the operation takes no body, and where all members of its body are optional. */
export const mayBeLeftOut = (body: BodySchema | undefined): boolean =>
  !body || (body.type === 'object' && !body.required?.length)

function problemOf({ headers }: FastifyRequest, body: Buffer): Error | undefined {
  const [, name] = charset.exec(headers['content-type'] ?? '') ?? []
  if (name !== undefined && !/^utf-?8$/i.test(name)) return wrongCharset()
  if (!isUtf8(body)) return badRequest('body: must be UTF-8')
  const twice = memberGivenTwice(body)
  return twice === undefined ? undefined : badRequest(`${twice}: must be given once`)
}
