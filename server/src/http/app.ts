import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { badRequest, consistencyNotReached, requestTooSlow, unavailable } from '../errors.ts'
import type { Clock } from '../runtime/clock.ts'
import { isUuid, makeId } from '../runtime/identifiers.ts'
import { tellAllFaults } from './all-faults.ts'
import { type Authentication, authenticate, identify, isAnonymous, type Key } from './authentication.ts'
import { clientAddress, removeForwardedPorts } from './client-address.ts'
import { type Bounds, type Connections, createConnections } from './connections.ts'
import { beforeDeadline, type Consistency, readConsistency } from './consistency.ts'
import { admitPage, answerPreflights } from './cross-origin.ts'
import type { SentCalls } from './document.ts'
import {
  answerNoSuchRoute,
  answerUnreadable,
  createAnswerError,
  type ErrorPageFor,
  fixedPathsWithin,
  pathOf,
  refuseClosingSlash,
} from './error-answer.ts'
import { ignoreTypeOfNothing, isBodyOptional, readJsonBodies } from './json-body.ts'
import { serveDocuments } from './openapi.ts'
import { type Call, type CursorPaged, type Operation, type Paged, writes } from './operation.ts'
import type { CallerLimit } from './rate-limit.ts'
import { routeSchema } from './route-schema.ts'
import { compileSerializer } from './serializer.ts'
import { userAgentOf } from './user-agent.ts'
import { compileValidator, refuseUnstorableText } from './validation.ts'
import { requireWellFormed } from './well-formed-request.ts'

const maxBodyBytes = 1_048_576
/** Of what anybody may send: a page event needs no more. */
const maxAnonymousBodyBytes = 4_096
/** For the whole request to arrive; a slower one is answered 408 and its connection closed. */
const receiveTimeoutMs = 30_000
/** A read has no consistency headers; it must be answered within this time all the same. */
const readTimeoutMs = 30_000
const maxParamLength = 2_048
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
  bounds: Bounds
  /** Whether an address is that of a proxy whose `X-Forwarded-For` is believed. */
  isProxy: (address: string) => boolean
  errorPageFor: ErrorPageFor
  log: FastifyBaseLogger
  isAccessLogged: boolean
  /** Of what needs no key and has no rate of its own. */
  anonymous: CallerLimit
  /** Absent where there is no other region. */
  everywhere: Everywhere | undefined
  describeCalls: () => Promise<SentCalls>
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
  const { clock, operations, isProxy } = options
  const connections = createConnections(options.bounds, isProxy)
  const answerError = createAnswerError(options.errorPageFor)
  const app = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    requestTimeout: receiveTimeoutMs,
    serverFactory: connections.createServer as never,
    trustProxy: isProxy,
    genReqId: (request) => requestId(request.headers['x-request-id'], clock),
    routerOptions: { maxParamLength },
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable(connections, options.errorPageFor),
    frameworkErrors: (error, request, reply) => answerError(error, request, reply as FastifyReply),
  })
  followRequests(app)
  tellAnswers(app, options)
  admitRequests(app, connections, operations)
  app.setValidatorCompiler(compileValidator as never)
  app.setSerializerCompiler(compileSerializer as never)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request) => answerNoSuchRoute(request, operations))
  readJsonBodies(app)
  serveDocuments(app, { ...options, callers: options.anonymous })
  for (const operation of operations) mount(app, operation, options)
  return app
}

/** What a request carries along. */
function followRequests(app: FastifyInstance) {
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('organizationId', '')
  app.decorateRequest('key')
  app.decorateRequest('consistency')
  app.decorateRequest('bodyTimer')
  app.addHook('onRequest', async (request, reply) => {
    request.arrivedAt = performance.now()
    reply.header('x-request-id', request.id)
    removeForwardedPorts(request.raw.headers)
  })
  app.addHook('onSend', async (_request, reply) => {
    // The service stops: a connection kept for the next request would hold that up.
    if (!app.server.listening) reply.header('connection', 'close')
  })
}

/** Whatever became of a request: the route, never the path, which has ids, nor the query. */
function tellAnswers(app: FastifyInstance, { onAnswered, isAccessLogged }: AppOptions) {
  app.addHook('onResponse', async (request, reply) => {
    clearTimeout(request.bodyTimer)
    const ms = performance.now() - request.arrivedAt
    const told = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode }
    onAnswered?.({ ...told, seconds: ms / 1000 })
    if (isAccessLogged) request.log.info({ ...told, ms: Math.round(ms), requestId: request.id }, 'request')
  })
}

/** Refused before anything of the body is read, and whatever route it is. */
function admitRequests(app: FastifyInstance, connections: Connections, operations: Operation[]) {
  app.addHook('onRequest', async (request) => {
    // A process that has too much to do is alive.
    if (connections.areTooManyInFlight(request.raw.socket) && request.routeOptions.url !== '/livez') throw unavailable()
    requireWellFormed(request.raw)
    refuseClosingSlash(request, operations)
    if (request.is404) answerNoSuchRoute(request, operations)
  })
}

/** The order of the checks. Nothing of a request's body is read before its caller is known. */
function mount(
  app: FastifyInstance,
  operation: Operation,
  { authentication, anonymous, clock, operations, everywhere }: AppOptions,
) {
  const fixedPaths = fixedPathsWithin(operation, operations)
  const countCaller = async (request: FastifyRequest) => operation.callerLimit?.takeAddress(clientAddress(request))
  const authenticated = (request: FastifyRequest) => {
    const onUnknown = () => anonymous.takeAddress(clientAddress(request))
    return inTime(request, operation, authenticate(request, operation, { authentication, onUnknown }))
  }
  answerPreflights(app, operation, countCaller)
  app.route({
    method: operation.method,
    url: operation.path,
    schema: routeSchema(operation),
    attachValidation: true,
    ...(isAnonymous(operation) && { bodyLimit: maxAnonymousBodyBytes }),
    onRequest: [
      countCaller,
      async (request, reply) => {
        if (fixedPaths.has(pathOf(request))) answerNoSuchRoute(request, operations)
        identify(request, operation.access)
        const consistency = writes(operation) ? readConsistency(request) : undefined
        if (consistency && !('problems' in consistency)) request.consistency = consistency
        await authenticated(request)
        await inTime(request, operation, admitPage(request, reply, operation))
        operation.callerLimit?.takeOrganization(request.organizationId)
        if (consistency && 'problems' in consistency) throw badRequest(...consistency.problems)
      },
      async (request, reply) => {
        if (writes(operation))
          request.bodyTimer = setTimeout(() => refuseLateBody(request, reply), remainingMs(request))
        if (isBodyOptional(request)) ignoreTypeOfNothing(request)
      },
    ],
    preValidation: [
      async (request) => {
        clearTimeout(request.bodyTimer)
        if (operation.body && isBodyOptional(request)) request.body ??= {}
        if (!operation.body && !isNothing(request.body)) throw badRequest('body: must be empty')
      },
      refuseUnstorableText,
    ],
    handler: async (request, reply) => {
      // A key that was revoked while the body came in slowly no longer speaks for anybody.
      if (performance.now() - request.arrivedAt > authenticatedMs) await authenticated(request)
      const call = toCall(request, clock)
      const run = async () => {
        if (request.validationError) throw request.validationError
        const isEverywhere = everywhere && request.consistency?.level === 'all_regions'
        const handle = () => operation.handle(call)
        return isEverywhere ? everywhere(shareOf(request, operation), handle, endOf(reply)) : handle()
      }
      const work = run().catch((error) => tellAllFaults(error, call, operation))
      return answer(reply, operation, request, await inTime(request, operation, work))
    },
  })
}

/** Many clients send an empty object where there is nothing to send. */
const isNothing = (body: unknown) =>
  body === undefined ||
  (typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0)

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
      userAgent: userAgentOf(request),
    },
    bearer: bearerIn(request.headers.authorization),
  }
}

/** RFC 6750, 2.1. */
const bearerIn = (header: string | undefined) => header && (/^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1] ?? '')

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
