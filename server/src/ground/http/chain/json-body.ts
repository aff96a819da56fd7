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
  badRequest(
    'invalid_value',
    'body: must not have a member called __proto__, or constructor with a member called prototype',
  )

const describeFault = (error: Error, text: string) => {
  if (text === '') return error
  return isJson(text) ? forbiddenMember() : notJson(text)
}

const notJson = (text: string) => badRequest('malformed_json', `body: must be well-formed JSON: ${faultOfJson(text)}`)

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
  return hasOtherCharset(headers) ? wrongCharset() : problemIn(body)
}

function hasOtherCharset({ 'content-type': type = '' }: FastifyRequest['headers']): boolean {
  const [, name] = charset.exec(type) ?? []
  return name !== undefined && !/^utf-?8$/i.test(name)
}

function problemIn(body: Buffer): Error | undefined {
  if (!isUtf8(body)) return badRequest('malformed_json', 'body: must be UTF-8')
  const twice = memberGivenTwice(body)
  return twice === undefined ? undefined : badRequest('given_twice', `${twice}: must be given once`)
}

/** Throws a 415 where `Content-Type` names another encoding. */
export function requireUtf8(headers: FastifyRequest['headers']) {
  if (hasOtherCharset(headers)) throw wrongCharset()
}

/** By the same rules, but that a member may have any name: whoever reads the value must leave what all objects share alone. */
export function parseJson(body: Buffer): unknown {
  const problem = problemIn(body)
  if (problem) throw problem
  const text = body.toString()
  try {
    return JSON.parse(text)
  } catch {
    throw notJson(text)
  }
}
