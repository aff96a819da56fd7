import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isRefusedWhileMoving, isUnavailable, mayBeCommitted } from '../../database/postgres-error.ts'
import {
  ApiError,
  badRequest,
  bodyTooLarge,
  headersTooLarge,
  internalError,
  methodNotAllowed,
  noSuchRoute,
  organizationMoving,
  outcomeUnknown,
  type Problem,
  type Refusal,
  requestTooSlow,
  trailingSlash,
  unavailable,
  wrongContentType,
} from '../../errors.ts'
import { type Connections, protectiveHeaders } from '../socket/connections.ts'
import { hintOfPath } from './near-misses.ts'
import type { Operation } from './operation.ts'

/** The only place where an error becomes a reply. Anything but an `ApiError` is logged, and the client gets the request id. */
export const createAnswerError =
  (errorPageFor: ErrorPageFor) => (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = toApiError(error, request)
    if (!known) request.log.error({ err: error, requestId: request.id }, 'request failed')
    const { status, headers, problems } = known ?? internalError(request.id)
    reply.code(status).headers({ 'cache-control': 'no-store', ...headers })
    const refusal = { path: pathOf(request), status, detail: detailOf(problems), requestId: request.id }
    const page = errorPageFor({ ...refusal, ...readerOf(request) })
    // Fastify would quote a text whose type is JSON.
    if (page) return reply.headers(page.headers).send(Buffer.from(page.body))
    return reply.header(codesHeader, codesOf(problems)).send(envelopeOf(problems))
  }

const codesHeader = 'signet-error'
/** One for each entry of `errors`, in their order. */
const codesOf = (problems: Problem[]) => problems.map(({ code }) => code).join(', ')
export const envelopeOf = (problems: Problem[]) => ({
  errors: problems.map(({ httpcode, message }) => ({ httpcode, message })),
})

const detailOf = (problems: Problem[]) => problems.map(({ message }) => message).join('; ')

const readerOf = ({ url, headers }: FastifyRequest) => ({
  accept: headers.accept,
  acceptLanguage: headers['accept-language'],
  uiLocales: uiLocalesIn(url),
})

/** In the query of an address, which need not be well-formed. */
function uiLocalesIn(target: string): string | undefined {
  const [, query = ''] = /\?(.*)$/s.exec(target) ?? []
  return new URLSearchParams(query.slice(0, maxShortAddress)).get('ui_locales') ?? undefined
}

/** Fastify's own refusals and an unavailable database, as errors of the closed list. */
export function toApiError(error: unknown, request?: FastifyRequest): ApiError | undefined {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(toSize(request?.routeOptions.bodyLimit))
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongContentType(request?.routeOptions.config.bytes?.mediaTypes)
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return badRequest('required', 'body: is required')
  if (code === 'FST_ERR_BAD_URL')
    return badRequest('malformed_request', 'path: must be well-formed percent-encoded text')
  if (code === 'FST_ERR_MAX_PARAM_LENGTH' || code === 'FST_ERR_ROUTE_MAX_PARAM_LENGTH') return noSuchRoute()
  if (isRefusedWhileMoving(error)) return organizationMoving()
  if (mayBeCommitted(error)) return outcomeUnknown()
  // 57014: the statement timed out.
  if (isUnavailable(error) || code === '57014') return unavailable()
  if (statusCode === 400) return badRequest('malformed_json', 'body: must be well-formed JSON')
  return undefined
}

const toSize = (bytes = 0) => (bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : `${bytes / 1_024} KiB`)

/** What is no fault of the request: the 503 of an unavailable database, or the 423 of an organization that moves. Undefined for every other error. */
export function unavailableError(error: unknown): ApiError | undefined {
  const known = toApiError(error)
  return known?.status === 503 || known?.status === 423 ? known : undefined
}

type Answer = { status: number; headers: Record<string, string>; body: string }
/** In place of the envelope a browser is shown a page, and a client of another protocol an error of that. */
export type ErrorPageFor = (refusal: Refusal) => Pick<Answer, 'headers' | 'body'> | undefined

/** A client that still sends can read the reply only while its connection is not reset. */
const lingerMs = 1_000

/** Bytes that Node's HTTP parser refuses never become a request: the same envelope is written to the connection by hand. */
export const answerUnreadable =
  ({ headOf, afterAnswers }: Pick<Connections, 'headOf' | 'afterAnswers'>, errorPageFor: ErrorPageFor) =>
  ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const head = headOf(socket).trimStart()
    const [method = '', target = ''] = head.split(' ')
    const path = target.split('?', 1)[0] ?? ''
    const { status, problems } = unreadable(code)
    const envelope = {
      headers: { 'content-type': jsonType, [codesHeader]: codesOf(problems) },
      body: JSON.stringify(envelopeOf(problems)),
    }
    const [, acceptLanguage] = /^accept-language: *(.{1,200})$/im.exec(head) ?? []
    const reader = { acceptLanguage, uiLocales: uiLocalesIn(target) }
    const refusal = { path, status, detail: detailOf(problems), isAddressShort: isAddressShort(head) }
    const page = errorPageFor({ ...refusal, ...reader })
    const answer = { status, ...(page ?? envelope) }
    afterAnswers(socket, () => writeByHand(socket, answer, method !== 'HEAD'))
  }

/** Characters; only the cookies of a browser have several times as many. */
const maxShortAddress = 8_192

function isAddressShort(head: string): boolean {
  const end = head.indexOf('\r\n')
  return end >= 0 && end <= maxShortAddress
}

const jsonType = 'application/json; charset=utf-8'

function writeByHand(socket: Socket, { status, headers, body }: Answer, hasBody: boolean) {
  const length = String(Buffer.byteLength(body))
  const all = {
    'cache-control': 'no-store',
    ...protectiveHeaders,
    ...headers,
    'content-length': length,
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n')
  socket.end(hasBody ? head + body : head)
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

function unreadable(code: string | undefined): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTooSlow()
  return code === 'HPE_HEADER_OVERFLOW'
    ? headersTooLarge()
    : badRequest('malformed_request', 'request: must be well-formed HTTP')
}

/** An operation has one address: an empty parameter is not another one. */
export function refuseTrailingSlash(request: FastifyRequest, operations: Operation[]) {
  const path = pathOf(request)
  const without = path.replace(/\/$/, '')
  if (without !== path && operations.some((operation) => matches(operation.path, without))) throw trailingSlash(without)
}

export const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? ''

/** 405 with `Allow` where the path exists with other methods, else 404. A fixed path goes before one with parameters. */
export function answerNoSuchRoute(request: FastifyRequest, operations: Operation[]): never {
  const path = pathOf(request)
  const fixed = operations.filter((operation) => operation.path === path)
  const found = fixed.length > 0 ? fixed : operations.filter((operation) => matches(operation.path, path))
  const methods = found.map((operation) => operation.method)
  if (methods.length > 0) throw methodNotAllowed([...new Set(methods)].sort())
  throw noSuchRoute(hintOfPath(request.method, path, operations))
}

/**
 * Paths of other operations, character by character, that this one would swallow: the router looks at one method at a time,
 * and would take `DELETE /organizations/settings` for the deletion of the organization `settings`.
 */
export const fixedPathsWithin = (operation: Operation, operations: Operation[]): Set<string> =>
  new Set(
    operations
      .map(({ path }) => path)
      .filter((path) => path !== operation.path && !path.includes(':') && matches(operation.path, path)),
  )

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('/')
  const actual = path.split('/')
  return parts.length === actual.length && parts.every((part, index) => part.startsWith(':') || part === actual[index])
}
