import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createPayloads, createPublish, type Enqueue, type Publish } from '../delivery/events/index.ts'
import { createAnnouncements, createFeed, createFollow, createFollowers, inTurns } from '../delivery/feed/index.ts'
import { createHooks, type Hooks } from '../delivery/hooks/index.ts'
import { type Delivery, laneOfWebhook, noFailpoint, type OnFailpoint, startDelivery } from '../delivery/queue/index.ts'
import { createCountEvents } from '../delivery/statistics/index.ts'
import { createLoadTargets } from '../delivery/webhooks/index.ts'
import type { Connection } from '../ground/database/connection.ts'
import type { Database } from '../ground/database/database.ts'
import { followDatabaseTime } from '../ground/database/database-time.ts'
import { makePartitions } from '../ground/database/day-partitions.ts'
import { createNotifications, type Notifications } from '../ground/database/notifications.ts'
import { createPrimary } from '../ground/database/primary.ts'
import { buildApp } from '../ground/http/app.ts'
import { createEventStreams } from '../ground/http/chain/event-streams.ts'
import { serveHealth } from '../ground/http/health.ts'
import { errorPageFor } from '../ground/http/pages/index.ts'
import { type CallerLimit, createCallerLimit } from '../ground/http/socket/rate-limit.ts'
import { createKeys, type Keyring, type Keys } from '../ground/keys/index.ts'
import { createAddressSet, createEgressClient, type EgressOptions } from '../ground/outbound/index.ts'
import { createPositions, findNoticeableHolder, type Positions } from '../ground/positions/index.ts'
import { type Clock, runningClock } from '../ground/runtime/clock.ts'
import { makeId } from '../ground/runtime/identifiers.ts'
import type { Tracer } from '../ground/runtime/tracer.ts'
import { createTurns } from '../ground/runtime/turns.ts'
import { createRecorder } from '../identity/audit-log/index.ts'
import { createBuiltConsole, createSessions, serveConsole } from '../identity/console/index.ts'
import { type Credentials, createCredentials } from '../identity/credentials/index.ts'
import { createInteractionCookies, createIssuers, type Issuers } from '../identity/issuer/index.ts'
import { createAuthentication, refuseIfMoving } from '../identity/organizations/index.ts'
import { createProviders } from '../identity/providers/index.ts'
import {
  createBeginSignIn,
  createContinueSession,
  type OnFailpoint as OnSignInFailpoint,
  type SignInDependencies,
  serveSignIn,
} from '../identity/sign-in/index.ts'
import { keepListed } from '../operator/installation/processes/index.ts'
import { checkServer, createRegions, readLags, readReplicas } from '../operator/installation/regions/index.ts'
import { type Metrics, startMetrics, startTracing } from '../operator/telemetry/index.ts'
import { startBackground } from './background.ts'
import type { Config } from './config.ts'
import { openDatabases } from './databases.ts'
import { buildLog, logTroubleOf } from './log.ts'
import { listOperations } from './operations.ts'
import { createReadinessCheck } from './readiness.ts'
import { shutDown } from './shutdown.ts'
import { describeWebhookRequests } from './webhook-requests.ts'

/** Reads for event streams, of which there are thousands: each has a connection, and the lists of requests have others. */
const followingReads = { total: () => 4, perOrganization: () => 2 }
/** Connections to identity providers; each sign-in has one at a time. */
const providerConnections = 512

export type Service = {
  app: FastifyInstance
  /** What it may have of the database, in one line. */
  connectionsLine: string
  /** Returns the address it listens on. */
  listen(): Promise<string>
  stop(): Promise<void>
}

type ServiceOptions = {
  config: Config
  connection: Connection
  keyring: Keyring
  /** No other process uses this database. */
  isAlone?: boolean
  /** Tests hand in a clock that they set; otherwise it follows the database's. */
  clock?: Clock
  /** Certificate authorities of the tests' receivers, in PEM; otherwise those that Node trusts. */
  certificateAuthorities?: string[]
  /** Tests hand in one of their own. */
  consoleFolder?: string
  /** Called as a delivery passes each of its failpoints. */
  onFailpoint?: OnFailpoint
  /** Called as a sign-in passes each of its failpoints. */
  onSignInFailpoint?: OnSignInFailpoint
}

/** What every slice stands on. */
type Base = {
  /** Of this process; also that of its worker. */
  processId: string
  config: Config
  keyring: Keyring
  log: Logger
  metrics: Metrics | undefined
  tracer: Tracer
  database: Database
  clock: Clock
  /** How webhooks are reached, by events and by hooks. */
  webhookEgressOptions: Pick<
    EgressOptions,
    'resolve' | 'allowCidrs' | 'allowPorts' | 'certificateAuthorities' | 'maxConnections'
  >
}

/** Builds everything in one place, on a migrated database: each slice gets what it uses by name. */
export async function buildService(options: ServiceOptions): Promise<Service> {
  const { config, connection, keyring } = options
  const tracing = await startTracing(config.telemetry)
  const { tracer } = tracing
  const log = buildLog(config.logLevel, tracing)
  const metrics = config.metricsPort === undefined ? undefined : await startMetrics(config.host, config.metricsPort)
  const primary = createPrimary(connection, logTroubleOf(log, metrics))
  const onError = (err: unknown) => log.error({ err }, 'background work failed; will retry')
  const { database, workerDatabase, followDatabase, connections } = await openDatabases(connection, {
    ...{ config, isAlone: options.isAlone === true, primary, log, tracer, onError },
  })
  const ownClock = options.clock ? undefined : runningClock()
  const clock = options.clock ?? (ownClock as Clock)
  if (ownClock) await followDatabaseTime(ownClock, database.read)
  await checkServer(database.write, config.otherRegions)
  await makePartitions(database, clock.now())
  const positions = createPositions({ database })
  await positions.enter()

  const processId = makeId(clock.now())
  const webhookEgressOptions = egressOptionsOf(options)
  const base: Base = { processId, config, keyring, log, metrics, tracer, database, clock, webhookEgressOptions }
  const keys = createKeys(withKeyTimes(base))
  const hooks = buildHooks(base, keys)
  const mayConnect = () => connections.of('session') + connections.of('announcements') > 0
  const notifications = createNotifications({ primary, mayConnect })
  const delivery = buildDelivery(base, { options, keys, notifications, workerDatabase, onError })
  const { feed, liveFeed, follow, published, announcements } = buildFeed(base, {
    options,
    notifications,
    positions,
    followDatabase,
    onError,
  })
  const countEvents = createCountEvents({ database, positions })
  const publish = createPublish({ clock, enqueue: announcing(delivery.enqueue, published, countEvents.note), tracer })
  const credentials = createCredentials({ database, clock, keyring })
  const signIn = buildSignIn(base, {
    publish,
    hooks,
    credentials,
    onFailpoint: options.onSignInFailpoint ?? (() => {}),
  })
  const signInLimit = createCallerLimit(clock, config.rates.signIn)
  const issuers = buildIssuers(base, signIn, signInLimit)
  const others = config.otherRegions
  const regions = others.length > 0 ? createRegions({ database, primary, others }) : undefined

  const onUnreadable = (organization_id: string, err: unknown) =>
    log.error({ err, organization_id }, 'no signing key for an organization; its listeners wait')
  const { api } = config.roles
  // A worker without the API serves only its health.
  const slices = {
    keys,
    publish,
    delivery,
    hooks,
    issuers,
    credentials,
    positions,
    feed,
    liveFeed,
    follow,
    countEvents,
  }
  const operations = api ? listOperations({ ...base, ...slices, onUnreadable }) : []
  const anonymous = createCallerLimit(clock, config.rates.public)
  const streams = createEventStreams({ streams: config.eventStreams, listeners: config.listeners })
  const { authentication, recordAs, home, serve } = buildConsole(base, options)
  const shell = { operations, anonymous, streams, everywhere: regions?.everywhere, authentication, recordAs, home }
  const app = await buildShell(base, shell)
  const health = serveHealth(app, createReadinessCheck(primary, clock, database.read), anonymous)
  if (api) issuers.serve(app)
  if (api) serveSignIn(app, signIn, signInLimit)
  if (api) serve(app, anonymous)

  metrics?.watchStreams(streams)
  metrics?.watchDelivery(delivery)
  metrics?.watchFeed(() => findNoticeableHolder(database.read))
  metrics?.watchReplication({
    readLags: () => readLags(database.read),
    readRegions: () => readReplicas(database.read, others),
  })
  metrics?.watchReadiness(health.isReady)
  metrics?.watchConnections({ requests: database.connections, delivery: workerDatabase.connections })
  const { drainMs, retentionMs, auditRetentionMs } = config
  const background = startBackground({
    ...{ database, workerDatabase, clock, ownClock, retentionMs, auditRetentionMs },
    ...{ keys, issuers, countEvents, signIn, onError },
  })
  const listed = keepListed({
    ...{ database, clock, id: processId, region: config.region, roles: config.roles, onError },
    ...{ countInFlight: delivery.countInFlight, countStreams: streams.count },
  })
  const databases = [database, workerDatabase, followDatabase]

  return {
    app,
    connectionsLine: connections.line,
    listen: async () => {
      const address = await app.listen({ host: config.host, port: config.port })
      // Starting the sender thread takes a quarter of a second of a core, for which a start need not wait.
      delivery.start()
      return address
    },
    stop: () =>
      shutDown({
        ...{ app, health, drainMs, delivery, hooks, signIn, metrics, tracing, announcements, databases, regions },
        background: [...background, listed, connections],
      }),
  }
}

/**
 * Kept for organizations, none of which uses another's: more than there are requests at once. A new one takes 1.3 ms of the processor
 * (measured), as much as forty requests.
 */
const maxReceiverConnections = 2_048

function egressOptionsOf({ config, certificateAuthorities }: ServiceOptions): Base['webhookEgressOptions'] {
  const { resolve, allowCidrs, allowPorts } = config
  return {
    resolve,
    allowCidrs,
    maxConnections: maxReceiverConnections,
    ...(allowPorts && { allowPorts }),
    ...(certificateAuthorities && { certificateAuthorities }),
  }
}

const withKeyTimes = ({ config: { keyLeadMs, keyRotationMs }, ...base }: Base) => ({
  ...base,
  ...{ keyLeadMs, keyRotationMs },
})

/** Hooks have an egress client of their own: no event takes a connection from a sign-in, nor the other way round. */
function buildHooks(
  { config, keyring, log, metrics, tracer, database, clock, webhookEgressOptions }: Base,
  keys: Keys,
): Hooks {
  const { baseUrl, hookConcurrency: limits } = config
  return createHooks({
    ...{ database, clock, baseUrl, limits, findSigners: keys.findSigners, tracer, log },
    egress: createEgressClient(webhookEgressOptions),
    loadTargets: createLoadTargets(keyring, laneOfWebhook),
    ...(metrics && { onCalled: metrics.hookCalled }),
    onUnreadable: (organization_id, err) =>
      log.error({ err, organization_id }, 'no signing key for an organization; its hooks fail'),
  })
}

type DeliveryParts = {
  options: ServiceOptions
  keys: Keys
  notifications: Notifications
  workerDatabase: Database
  onError: (error: unknown) => void
}

function buildDelivery(
  { processId, metrics, ...base }: Base,
  { options, keys, notifications, workerDatabase, onError }: DeliveryParts,
): Delivery {
  const { isAlone = false, onFailpoint = noFailpoint } = options
  return startDelivery({
    ...{ ...base, workerId: processId, database: workerDatabase, notifications, isAlone, onFailpoint, onError },
    ...{ payloads: createPayloads(), findSigners: keys.findSigners },
    ...(metrics && { onAttempted: metrics.attempted, onFinished: metrics.finished }),
  })
}

type FeedParts = {
  options: ServiceOptions
  notifications: Notifications
  positions: Positions
  followDatabase: Database
  onError: (error: unknown) => void
}

/** `liveFeed` is for streams. `published` is to be called after each publication. */
function buildFeed(
  { database, clock }: Base,
  { options: { isAlone = false }, notifications, positions, followDatabase, onError }: FeedParts,
) {
  const announcements = createAnnouncements({ database, notifications, isAlone, onError })
  const followers = createFollowers({ database, clock, positions, announcements, onError })
  const ofStreams = createFeed({ database: { read: database.read, pages: followDatabase.pages }, positions })
  const liveFeed = inTurns(ofStreams, createTurns(followingReads))
  return {
    feed: createFeed({ database, positions }),
    liveFeed,
    follow: createFollow({ feed: liveFeed, followers }),
    published: followers.published,
    announcements,
  }
}

const announcing =
  (enqueue: Enqueue, published: () => void, count: (organizationId: string) => void): Enqueue =>
  (tx, organizationId, ...events) => {
    tx.afterCommit(published)
    tx.afterCommit(() => count(organizationId))
    // It may have held the feed back.
    tx.afterFailure(published)
    return enqueue(tx, organizationId, ...events)
  }

type SignInParts = { publish: Publish; hooks: Hooks; credentials: Credentials; onFailpoint: OnSignInFailpoint }

/** Only providers that the operator configured may have private addresses. */
function buildSignIn(
  { config, keyring, log, metrics, tracer, database, clock }: Base,
  { publish, hooks, credentials, onFailpoint }: SignInParts,
): SignInDependencies & { stop(): Promise<void> } {
  const { baseUrl, region, tiers, providers: overrides, lifetimes } = config
  const providers = createProviders({
    createEgressClient: (trustedOrigins) =>
      createEgressClient({ resolve: new Map(), allowCidrs: [], trustedOrigins, maxConnections: providerConnections }),
    ...{ clock, overrides },
  })
  const { flowMs } = lifetimes
  const isSecure = baseUrl.startsWith('https:')
  return {
    ...{
      database,
      clock,
      publish,
      baseUrl,
      isSecure,
      region,
      tiers,
      flowMs,
      providers,
      credentials,
      onFailpoint,
      tracer,
      log,
    },
    interactionCookies: createInteractionCookies({ keyring, clock, isSecure, flowMs }),
    runTokenMinted: hooks.runTokenMinted,
    onOutcome: (outcome) => {
      metrics?.signedIn(outcome)
      tracer.current()?.set({ 'signet.outcome': outcome })
    },
    stop: providers.close,
  }
}

function buildIssuers(base: Base, signIn: SignInDependencies, signInLimit: CallerLimit): Issuers {
  const { config, clock, log } = base
  return createIssuers({
    ...withKeyTimes(base),
    ...{ baseUrl: config.baseUrl, lifetimes: config.lifetimes },
    limits: { signIn: signInLimit, token: createCallerLimit(clock, config.rates.token) },
    interactionCookies: signIn.interactionCookies,
    beginSignIn: createBeginSignIn(signIn),
    continueSession: createContinueSession(signIn),
    refuseIfMoving: (organizationId) => refuseIfMoving(base.database.read, organizationId),
    onError: (err) => log.error({ err }, 'request to an issuer failed'),
  })
}

/** `authentication` knows keys, and the sessions of the console that stand for them. */
function buildConsole({ config, keyring, database, clock }: Base, { consoleFolder }: ServiceOptions) {
  const { operatorKey, tiers, baseUrl } = config
  const authentication = createAuthentication({ database, clock, operatorKey, tiers })
  const sessions = createSessions({ database, clock, keyring, operatorKey, baseUrl, authentication })
  const { findSession } = sessions
  const recordAs = createRecorder({ clock, keyring })
  const built = createBuiltConsole(consoleFolder)
  const parts = { sessions, authentication, recordAs, database, clock, built }
  return {
    ...{ recordAs, authentication: { ...authentication, findSession } },
    home: () => (built.exists() ? '/console' : '/docs'),
    serve: (app: FastifyInstance, callers: CallerLimit) => serveConsole(app, { ...parts, callers }),
  }
}

type Shell = Parameters<typeof buildApp>[0]
type ShellParts = Pick<
  Shell,
  'operations' | 'anonymous' | 'streams' | 'everywhere' | 'authentication' | 'home' | 'recordAs'
>

function buildShell({ config, log, metrics, tracer, clock }: Base, parts: ShellParts): Promise<FastifyInstance> {
  const { baseUrl, connections, sendTimeoutMs, isAccessLogged } = config
  return buildApp({
    ...{ ...parts, clock, baseUrl, log, tracer, isAccessLogged, errorPageFor, describeWebhookRequests },
    bounds: { connections: connections.total, connectionsOfAddress: connections.perAddress, sendTimeoutMs },
    isProxy: createAddressSet(config.trustedProxies),
    ...(metrics && { onAnswered: metrics.answered }),
  })
}
