import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { badRequest, consistencyNotReached, requestTooSlow, unavailable } from '../errors.ts'
import type { Clock } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import type { Tracer } from '../runtime/tracer.ts'
import { dependsOnAccept, negotiate } from './chain/accept.ts'
import { withAllProblems } from './chain/all-problems.ts'
import { type Authentication, authenticate, identify, isAnonymous } from './chain/authentication.ts'
import { readBytes, requireBytes } from './chain/bytes-body.ts'
import { beforeDeadline, type Consistency, readConsistency } from './chain/consistency.ts'
import { admitPage, answerPreflights } from './chain/cross-origin.ts'
import { csvType, isList } from './chain/csv.ts'
import { createCsvReply } from './chain/csv-reply.ts'
import {
  answerNoSuchRoute,
  answerUnreadable,
  createAnswerError,
  type ErrorPageFor,
  fixedPathsWithin,
  pathOf,
  refuseTrailingSlash,
} from './chain/error-reply.ts'
import { type EventStreams, liveAs, type MessageSource } from './chain/event-streams.ts'
import {
  type AnswerOnce,
  checkAnswers,
  keyedCallOf,
  readIdempotencyKey,
  sendAnswer,
  toAnswer,
} from './chain/idempotency-key.ts'
import { ignoreTypeOfNoBody, isBodyOptional, readJsonBodies } from './chain/json-body.ts'
import { type Operation, type Principal, writes } from './chain/operation.ts'
import { toInput } from './chain/operation-input.ts'
import type { Act, RecordChange } from './chain/recorded-change.ts'
import { contentOf, replyWith } from './chain/reply.ts'
import { checkScopes } from './chain/require-scopes.ts'
import { routeSchema } from './chain/route-schema.ts'
import { compileSerializer } from './chain/serializer.ts'
import { endSpan, traceRequests } from './chain/traced-requests.ts'
import { compileValidator, refuseUnstorableText } from './chain/validation.ts'
import type { WebhookRequests } from './document/document.ts'
import { serveDocuments } from './document/openapi.ts'
import { clientAddress, removeForwardedPorts } from './socket/client-address.ts'
import { shareConnections } from './socket/connection-share.ts'
import { type Bounds, type Connections, createConnections } from './socket/connections.ts'
import type { CallerLimit } from './socket/rate-limit.ts'
import { requireWellFormed } from './socket/well-formed-request.ts'

const maxBodyBytes = 1_048_576
/** Of operations without a key: a page event needs no more. */
const maxAnonymousBodyBytes = 4_096
/** The whole request must arrive within this time; otherwise the reply is 408 and its connection is closed. */
const receiveTimeoutMs = 30_000
/** The deadline of a read, which has no consistency headers. */
const readTimeoutMs = 30_000
const maxParamLength = 2_048
/** A key that was valid this long ago is not looked up again for the same request. */
const authenticatedMs = 1_000

/**
 * Runs `work` and resolves to its result once all regions have what it changed. Throws when `signal` aborts, and when too
 * many of this `share` wait.
 */
type Everywhere = <Result>(share: string, work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>

type AppOptions = {
  clock: Clock
  authentication: Authentication
  operations: Operation[]
  baseUrl: string
  /** Where `/` leads to. */
  home: () => string
  bounds: Bounds
  /** Whether this is the address of a proxy whose `X-Forwarded-For` is trusted. */
  isProxy: (address: string) => boolean
  errorPageFor: ErrorPageFor
  log: FastifyBaseLogger
  isAccessLogged: boolean
  /** For requests without a key that have no rate limit of their own. */
  anonymous: CallerLimit
  /** Undefined where there is no other region. */
  everywhere: Everywhere | undefined
  /** Calls with an `Idempotency-Key`. */
  answerOnce: AnswerOnce
  /** Writes the audit log. */
  recordAs: (act: Act) => RecordChange
  describeWebhookRequests: () => Promise<WebhookRequests>
  streams: EventStreams
  tracer: Tracer
  onAnswered?: (answer: { method: string; route: string; status: number; seconds: number }) => void
}

type Mounting = AppOptions & { connections: Connections }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of an operation whose body is no JSON. */
    bytes?: Operation['bytes']
  }
  interface FastifyRequest {
    arrivedAt: number
    isStreamed: boolean
    organizationId: string
    principal: Principal | undefined
    /** Who the operator is, where it is a person by a session of the console. */
    operatorPerson: Principal | undefined
    /** A session of the console stands for the principal. */
    isOfConsole: boolean
    /** Of that session. */
    consoleSessionId: string | undefined
    /** Of such a session: whether its sign-in is younger than an hour. */
    isSignInRecent: boolean
    consistency: Consistency | undefined
    /** Where the operation takes one. */
    idempotencyKey: string | undefined
    /** Only with an `idempotencyKey`. */
    bodyHash: Buffer | undefined
    bodyTimer: NodeJS.Timeout | undefined
  }
}

/** The HTTP shell: one chain of checks for every operation, the envelope, and the errors. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { clock, operations, isProxy, streams } = options
  checkScopes(operations)
  checkAnswers(operations)
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
  decorateRequests(app)
  shareConnections(app)
  traceRequests(app, options.tracer)
  observeReplies(app, options)
  admitRequests(app, connections, operations)
  app.setValidatorCompiler(compileValidator as never)
  app.setSerializerCompiler(compileSerializer as never)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request) => answerNoSuchRoute(request, operations))
  readJsonBodies(app)
  serveDocuments(app, { ...options, callers: options.anonymous })
  for (const operation of operations) mount(app, operation, { ...options, connections })
  app.addHook('preClose', async () => streams.endAll())
  return app
}

function decorateRequests(app: FastifyInstance) {
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('isStreamed', false)
  app.decorateRequest('organizationId', '')
  app.decorateRequest('principal')
  app.decorateRequest('operatorPerson')
  app.decorateRequest('isOfConsole', false)
  app.decorateRequest('consoleSessionId')
  app.decorateRequest('isSignInRecent', false)
  app.decorateRequest('consistency')
  app.decorateRequest('idempotencyKey')
  app.decorateRequest('bodyHash')
  app.decorateRequest('bodyTimer')
  app.addHook('onRequest', async (request, reply) => {
    request.arrivedAt = performance.now()
    reply.header('x-request-id', request.id)
    removeForwardedPorts(request.raw.headers)
  })
  app.addHook('onSend', async (_request, reply) => {
    // While the service stops, a connection kept alive would delay it.
    if (!app.server.listening) reply.header('connection', 'close')
  })
}

/** For metrics and the access log: the route, never the path, which contains ids, nor the query. */
function observeReplies(app: FastifyInstance, { onAnswered, isAccessLogged }: AppOptions) {
  app.addHook('onResponse', async (request, reply) => {
    clearTimeout(request.bodyTimer)
    const ms = performance.now() - request.arrivedAt
    const summary = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode }
    // The duration of a stream says nothing of the service.
    if (!request.isStreamed) onAnswered?.({ ...summary, seconds: ms / 1000 })
    // The audit log of a customer names no person of the operator.
    if (request.operatorPerson && request.method !== 'GET')
      request.log.info(
        { ...summary, personId: request.operatorPerson.id, requestId: request.id },
        'request of the operator',
      )
    if (isAccessLogged)
      request.log.info({ ...summary, ms: Math.round(ms), requestId: request.id, ...request.span?.ids }, 'request')
  })
}

/** Checks of every route, before anything of the body is read. */
function admitRequests(app: FastifyInstance, connections: Connections, operations: Operation[]) {
  app.addHook('onRequest', async (request) => {
    // An overloaded process is still alive.
    if (connections.areTooManyInFlight(request.raw.socket) && request.routeOptions.url !== '/livez') throw unavailable()
    requireWellFormed(request.raw)
    refuseTrailingSlash(request, operations)
    if (request.is404) answerNoSuchRoute(request, operations)
  })
}

/** A body that is no JSON is read in a scope of its own. */
function mount(app: FastifyInstance, operation: Operation, options: Mounting) {
  const { bytes } = operation
  if (!bytes) return mountRoute(app, operation, options)
  app.register(async (scope) => {
    readBytes(scope, bytes)
    mountRoute(scope, operation, options)
  })
}

/** The order of the checks. Nothing of a request's body is read before its caller is known. */
function mountRoute(app: FastifyInstance, operation: Operation, options: Mounting) {
  const countCaller = async (request: FastifyRequest) => operation.callerLimit?.takeAddress(clientAddress(request))
  answerPreflights(app, operation, countCaller)
  app.route({
    method: operation.method,
    url: operation.path,
    schema: routeSchema(operation),
    attachValidation: true,
    ...(isAnonymous(operation) && { bodyLimit: maxAnonymousBodyBytes }),
    ...(operation.bytes && { bodyLimit: operation.bytes.maxBytes, config: { bytes: operation.bytes } }),
    onRequest: [countCaller, admitCaller(operation, options), awaitBody(operation)],
    preValidation: operation.bytes ? requireBytes : [checkPresenceOfBody(operation), refuseUnstorableText],
    handler: runOperation(operation, options),
  })
}

function admitCaller(operation: Operation, options: AppOptions) {
  const fixedPaths = fixedPathsWithin(operation, options.operations)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (fixedPaths.has(pathOf(request))) answerNoSuchRoute(request, options.operations)
    identify(request, operation.access)
    const consistency = writes(operation) ? readConsistency(request) : undefined
    if (consistency && !('problems' in consistency)) request.consistency = consistency
    await authenticateInTime(request, operation, options)
    request.hasShownKey = !isAnonymous(operation)
    await inTime(request, operation, admitPage(request, reply, operation))
    if (request.organizationId) operation.callerLimit?.takeOrganization(request.organizationId)
    const problems = consistency && 'problems' in consistency ? consistency.problems : []
    problems.push(...readIdempotencyKey(request, operation))
    if (problems.length > 0) throw badRequest('invalid_value', ...problems)
  }
}

function authenticateInTime(
  request: FastifyRequest,
  operation: Operation,
  { authentication, anonymous }: Pick<AppOptions, 'authentication' | 'anonymous'>,
) {
  const onUnknown = () => anonymous.takeAddress(clientAddress(request))
  return inTime(request, operation, authenticate(request, operation, { authentication, onUnknown }))
}

const awaitBody = (operation: Operation) => async (request: FastifyRequest, reply: FastifyReply) => {
  if (writes(operation)) request.bodyTimer = setTimeout(() => refuseLateBody(request, reply), remainingMs(request))
  if (isBodyOptional(request)) ignoreTypeOfNoBody(request)
}

const checkPresenceOfBody = (operation: Operation) => async (request: FastifyRequest) => {
  clearTimeout(request.bodyTimer)
  if (operation.body && isBodyOptional(request)) request.body ??= {}
  if (!operation.body && !isNothing(request.body)) throw badRequest('invalid_value', 'body: must be empty')
}

function runOperation(operation: Operation, options: Mounting) {
  const { everywhere, answerOnce, streams } = options
  const replyAsCsv = isList(operation) ? createCsvReply(operation) : undefined
  return async (request: FastifyRequest, reply: FastifyReply) => {
    // A key that was revoked while the body arrived slowly is refused.
    if (performance.now() - request.arrivedAt > authenticatedMs) await authenticateInTime(request, operation, options)
    const mediaType = mediaTypeFor(request, reply, operation)
    const live = liveAs(mediaType, request, endOf(reply))
    if (live) streams.admit(operation.streamKind ?? 'streams', callerOf(request), live.signal)
    const input = { ...toInput(request, operation, options), mediaType, live }
    const call = keyedCallOf(request)
    const handle = () => operation.handle(input)
    const answer = call
      ? () => answerOnce(call, async () => toAnswer(contentOf(await handle(), operation, request), operation, reply))
      : handle
    const run = async () => {
      if (request.validationError) throw request.validationError
      const isEverywhere = everywhere && request.consistency?.level === 'all_regions'
      return isEverywhere ? everywhere(shareOf(request, operation), answer, endOf(reply)) : answer()
    }
    const work = run().catch((error) => withAllProblems(error, input, operation))
    const result = await inTime(request, operation, work)
    if (call) return sendAnswer(result as Awaited<ReturnType<AnswerOnce>>, reply)
    if (live) return beginStream(result as MessageSource, { request, reply, over: live.signal }, operation, options)
    if (replyAsCsv && mediaType === csvType) return replyAsCsv(result, request, reply)
    return replyWith(result, operation, request, reply)
  }
}

const callerOf = ({ organizationId, principal }: FastifyRequest) => ({
  organizationId,
  principalId: principal?.id ?? '',
})

type Begun = { request: FastifyRequest; reply: FastifyReply; over: AbortSignal }

function beginStream(source: MessageSource, begun: Begun, operation: Operation, options: Mounting) {
  const { authentication, connections, streams, log } = options
  const { request, reply } = begun
  request.isStreamed = true
  endSpan(request, reply)
  connections.leaveToItself(request.raw)
  const stillAllowed = () => authenticate(request, operation, { authentication, onUnknown: () => {} })
  streams.begin({ ...begun, source, stillAllowed, log })
  return reply
}

/** The media type of the reply. */
function mediaTypeFor(request: FastifyRequest, reply: FastifyReply, operation: Operation): string | undefined {
  if (dependsOnAccept(operation)) reply.header('vary', 'Accept')
  return negotiate(request.headers.accept, operation)
}

/** Many clients send an empty object where there is nothing to send. */
const isNothing = (body: unknown) =>
  body === undefined ||
  (typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0)

/** Requests with a key share their organization's waiting places; anybody may name an organization without one. */
const shareOf = ({ principal, organizationId }: FastifyRequest, { access }: Operation) =>
  principal ? organizationId : access

/** A late write may still be committed (408); a late read has no effect (503). */
const inTime = <Result>(request: FastifyRequest, operation: Operation, work: Promise<Result>) =>
  beforeDeadline(work, remainingMs(request), writes(operation) ? consistencyNotReached : unavailable, (error) =>
    request.log.error({ err: error }, 'request failed after its deadline'),
  )

/** Aborts when the reply is sent, also because of the deadline, or the client has disconnected. */
function endOf(reply: FastifyReply): AbortSignal {
  const ended = new AbortController()
  if (reply.raw.closed) ended.abort()
  else reply.raw.once('close', () => ended.abort())
  return ended.signal
}

const remainingMs = ({ arrivedAt, consistency }: FastifyRequest) =>
  (consistency?.timeoutMs ?? readTimeoutMs) - (performance.now() - arrivedAt)

/** The deadline starts when the request arrives, so the time of its body counts. */
function refuseLateBody(request: FastifyRequest, reply: FastifyReply) {
  reply.header('connection', 'close').send(requestTooSlow())
  // The reader of the body would otherwise reply to the closing of the connection as well.
  request.raw.removeAllListeners('error')
}

const requestId = (header: string | string[] | undefined, clock: Clock): string =>
  typeof header === 'string' && /^[\w.-]{1,128}$/.test(header) ? header : makeId(clock.now())
