import { isUtf8 } from 'node:buffer'
import { isIP } from 'node:net'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Clock } from '../clock.ts'
import { badRequest, consistencyNotReached, requestTooSlow, unavailable } from '../errors.ts'
import { isUuid, makeId } from '../identifiers.ts'
import { type Authentication, authenticate, identify, type Key } from './authentication.ts'
import { beforeDeadline, type Consistency, readConsistency } from './consistency.ts'
import { admitPage, answerPreflights } from './cross-origin.ts'
import { answerError, answerNoSuchRoute, answerUnreadable, fixedPathsWithin } from './error-answer.ts'
import { documentOperations } from './openapi.ts'
import { type Call, type CursorPaged, type Operation, type Paged, writes } from './operation.ts'
import { routeSchema } from './route-schema.ts'
import { compileSerializer } from './serializer.ts'
import { compileValidator, refuseUnstorableText } from './validation.ts'

const maxBodyBytes = 1_048_576
/** For the whole request to arrive; a slower one is answered 408 and its connection closed. */
const receiveTimeoutMs = 30_000
/** A read has no consistency headers; it must be answered within this time all the same. */
const readTimeoutMs = 30_000
const maxParamLength = 2_048
/** In characters; what is longer is cut. */
const maxUserAgent = 1_000
/** So long after a request's arrival its key counts as valid without being looked up again. */
const authenticatedMs = 1_000

/**
 * Runs `work` and gives its result once all regions have what it changed, or throws when `signal` ends the waiting, or when
 * too many of this `share` wait.
 */
type Everywhere = <Result>(share: string, work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>

type AppOptions = {
  clock: Clock
  authentication: Authentication
  operations: Operation[]
  baseUrl: string
  trustedProxies: string[]
  log: FastifyBaseLogger
  /** Absent where there is no other region. */
  everywhere: Everywhere | undefined
  onAnswered?: (answer: { method: string; route: string; status: number; seconds: number }) => void
}

declare module 'fastify' {
  interface FastifyRequest {
    arrivedAt: number
    organizationId: string
    key: Key | undefined
    consistency: Consistency | undefined
    bodyTimer: NodeJS.Timeout | undefined
  }
}

/** The HTTP shell: one chain of checks for every operation, the envelope, and the errors. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { clock, operations } = options
  const app = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    requestTimeout: receiveTimeoutMs,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    genReqId: (request) => requestId(request.headers['x-request-id'], clock),
    routerOptions: { maxParamLength },
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply as FastifyReply),
  })
  followRequests(app, options.onAnswered)
  app.setValidatorCompiler(compileValidator as never)
  app.setSerializerCompiler(compileSerializer as never)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request) => answerNoSuchRoute(request, operations))
  readJsonBodies(app)
  await documentOperations(app, options.baseUrl)
  for (const operation of operations) mount(app, operation, options)
  return app
}

/** What a request carries along, and what is done with each one, whatever becomes of it. */
function followRequests(app: FastifyInstance, onAnswered: AppOptions['onAnswered']) {
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('organizationId', '')
  app.decorateRequest('key')
  app.decorateRequest('consistency')
  app.decorateRequest('bodyTimer')
  app.addHook('onRequest', async (request, reply) => {
    request.arrivedAt = performance.now()
    reply.header('x-request-id', request.id)
  })
  app.addHook('onSend', async (_request, reply) => {
    // The service stops: a connection kept for the next request would hold that up.
    if (!app.server.listening) reply.header('connection', 'close')
  })
  app.addHook('onResponse', async (request, reply) => {
    clearTimeout(request.bodyTimer)
    const seconds = (performance.now() - request.arrivedAt) / 1000
    onAnswered?.({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds,
    })
  })
}

/** The order of the checks. Nothing of a request's body is read before its caller is known. */
function mount(
  app: FastifyInstance,
  operation: Operation,
  { authentication, clock, operations, everywhere }: AppOptions,
) {
  const fixedPaths = fixedPathsWithin(operation, operations)
  const countCaller = async (request: FastifyRequest) => operation.callerLimit?.takeAddress(clientAddress(request))
  answerPreflights(app, operation, countCaller)
  app.route({
    method: operation.method,
    url: operation.path,
    schema: routeSchema(operation),
    onRequest: [
      countCaller,
      async (request, reply) => {
        if (fixedPaths.has(request.url.split('?', 1)[0] ?? '')) answerNoSuchRoute(request, operations)
        identify(request, operation.access)
        const consistency = writes(operation) ? readConsistency(request) : undefined
        if (consistency && !('problems' in consistency)) request.consistency = consistency
        await inTime(request, operation, authenticate(request, operation, authentication))
        await inTime(request, operation, admitPage(request, reply, operation))
        operation.callerLimit?.takeOrganization(request.organizationId)
        if (consistency && 'problems' in consistency) throw badRequest(...consistency.problems)
      },
      async (request, reply) => {
        if (writes(operation))
          request.bodyTimer = setTimeout(() => refuseLateBody(request, reply), remainingMs(request))
      },
    ],
    preValidation: [
      async (request) => {
        clearTimeout(request.bodyTimer)
        if (!operation.body && request.body !== undefined) throw badRequest('body: must be empty')
      },
      refuseUnstorableText,
    ],
    handler: async (request, reply) => {
      // A key that was revoked while the body came in slowly no longer speaks for anybody.
      if (performance.now() - request.arrivedAt > authenticatedMs)
        await inTime(request, operation, authenticate(request, operation, authentication))
      const handle = () => operation.handle(toCall(request, clock))
      const isEverywhere = everywhere && request.consistency?.level === 'all_regions'
      const share = shareOf(request, operation)
      const result = await inTime(request, operation, isEverywhere ? everywhere(share, handle, endOf(reply)) : handle())
      return answer(reply, operation, request, result)
    },
  })
}

/** An organization's is its own only where its key was given: without one anybody may name it. */
const shareOf = ({ key, organizationId }: FastifyRequest, { access }: Operation) => (key ? organizationId : access)

/** A write that is late may still be made (408); a read that is late is nothing but late. */
const inTime = <Result>(request: FastifyRequest, operation: Operation, work: Promise<Result>) =>
  beforeDeadline(work, remainingMs(request), writes(operation) ? consistencyNotReached : unavailable, (error) =>
    request.log.error({ err: error }, 'failed after its deadline'),
  )

/** Aborted when it is answered, also because of its deadline, or its client has gone. */
function endOf(reply: FastifyReply): AbortSignal {
  const ended = new AbortController()
  if (reply.raw.closed) ended.abort()
  else reply.raw.once('close', () => ended.abort())
  return ended.signal
}

/** JSON alone, and in UTF-8 alone: other bytes would be stored as something else. */
function readJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // Many clients name the type on every call, also where there is no body to send.
    if (body.length === 0 && !request.routeOptions.schema?.body) return done(null, undefined)
    return isUtf8(body) ? parse(request, body.toString(), done) : done(badRequest('body: must be UTF-8'))
  })
}

const remainingMs = ({ arrivedAt, consistency }: FastifyRequest) =>
  (consistency?.timeoutMs ?? readTimeoutMs) - (performance.now() - arrivedAt)

/** The deadline begins when the request arrives, so its body counts too. */
function refuseLateBody(request: FastifyRequest, reply: FastifyReply) {
  reply.header('connection', 'close').send(requestTooSlow())
  // The connection closes under the reader of the body, which would want to answer as well.
  request.raw.removeAllListeners('error')
}

function toCall(request: FastifyRequest, clock: Clock): Call<never, never, never> {
  const correlationId = request.headers['service-correlation-id']
  const given = typeof correlationId === 'string' && isUuid(correlationId) ? correlationId.toLowerCase() : undefined
  return {
    organizationId: request.organizationId,
    readOnly: request.key?.readOnly ?? true,
    params: request.params as never,
    query: request.query as never,
    body: request.body as never,
    limits: request.key?.limits ?? {},
    caller: {
      correlationId: given ?? makeId(clock.now()),
      clientAddress: clientAddress(request),
      userAgent: (request.headers['user-agent'] ?? '').slice(0, maxUserAgent),
    },
    bearer: bearerIn(request.headers.authorization),
  }
}

/** RFC 6750, 2.1. */
const bearerIn = (header: string | undefined) => header && (/^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1] ?? '')

/** What stands in `X-Forwarded-For` need not be an address; then it is that of the proxy which passed it on. */
export const clientAddress = ({ ip, ips }: FastifyRequest): string =>
  ips?.findLast((address) => isIP(address) !== 0) ?? ip

function answer(reply: FastifyReply, operation: Operation, request: FastifyRequest, result: unknown) {
  reply.code(operation.status)
  if (operation.status === 204) return reply.send()
  if (operation.bare) return answerBare(reply, operation, operation.bare.maxAgeSeconds, result)
  reply.header('cache-control', 'no-store')
  if (!operation.paged) return operation.result ? { result } : {}
  if (operation.paged === 'cursor') return toCursorPage(result as CursorPaged<unknown>)
  const { items, totalCount } = result as Paged<unknown>
  const { limit, offset } = request.query as { limit: number; offset: number }
  return { result: items, meta: { pagination: { limit, offset, total_count: totalCount } } }
}

function answerBare(reply: FastifyReply, { access }: Operation, maxAgeSeconds: number, result: unknown) {
  // The address is the same for all organizations: a cache goes by that alone, unless it is told.
  if (access === 'organization') reply.header('vary', 'Service-OrgID')
  return reply.header('cache-control', `max-age=${maxAgeSeconds}`).send(result)
}

const toCursorPage = ({ items, next }: CursorPaged<unknown>) => ({ result: items, meta: { next } })

function requestId(given: string | string[] | undefined, clock: Clock): string {
  return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : makeId(clock.now())
}
