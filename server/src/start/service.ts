import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { applicationsOperations } from '../applications/index.ts'
import type { Config } from '../config.ts'
import { type Credentials, createCredentials, credentialsOperations } from '../credentials/index.ts'
import type { Connection } from '../database/connection.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { followDatabaseTime } from '../database/database-time.ts'
import { makePartitions } from '../database/day-partitions.ts'
import { createPrimary } from '../database/primary.ts'
import { createTroubleLog } from '../database/trouble-log.ts'
import {
  closeLanes,
  type Delivery,
  noStep,
  type OnStep,
  openLane,
  pauseLane,
  reopenDeliveries,
  resumeLane,
  startDelivery,
} from '../delivery/index.ts'
import { deliveryLogOperations } from '../delivery-log/index.ts'
import { createPayloads, createPublish, eventsOperations, type Publish } from '../events/index.ts'
import { countGroups, groupsOperations } from '../groups/index.ts'
import { createHooks, type Hooks, hooksOperations } from '../hooks/index.ts'
import { buildApp } from '../http/app.ts'
import { serveHealth } from '../http/health.ts'
import { toLoggedError } from '../http/logged-error.ts'
import type { Operation } from '../http/operation.ts'
import { createCallerLimit } from '../http/rate-limit.ts'
import {
  createInteractionCookies,
  createIssuers,
  endSessions,
  type Issuers,
  issuerOf,
  issuerOperations,
} from '../issuer/index.ts'
import { createKeys, type Keyring, type Keys } from '../keys/index.ts'
import { createAuthentication, organizationsOperations, purgeDeletedOrganizations } from '../organizations/index.ts'
import { createAddressSet, createEgressClient, type EgressOptions } from '../outbound/index.ts'
import { pageEventsOperations } from '../page-events/index.ts'
import { pageInstead } from '../pages/index.ts'
import { countPersons, personsOperations } from '../persons/index.ts'
import { createProviders } from '../providers/index.ts'
import { checkServer, createRegions } from '../regions/index.ts'
import { type Clock, runningClock } from '../runtime/clock.ts'
import { every } from '../runtime/interval.ts'
import {
  createBeginSignIn,
  createContinueSession,
  endStalledFlows,
  type OnStep as OnSignInStep,
  type SignInDependencies,
  serveSignIn,
  signInOperations,
} from '../sign-in/index.ts'
import { countWebhooks, createLoadTargets, webhooksOperations } from '../webhooks/index.ts'
import { logDestination } from './log-destination.ts'
import { createReadinessCheck } from './readiness.ts'
import { removeOld } from './retention.ts'
import { describeCalls } from './sent-calls.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Requests in progress may take so long when the service stops; then their connections are closed. */
const requestsEndMs = 3_000
/** What a stop waits for in all. What has not gone back by then is left to the end of its lease. */
const stopMs = 6_000
/** A connection is closed by both sides, and a database that is away does not do its part. */
const closeMs = 500
/** Of delivery: two loops that claim, settlements, and one that the sweep, lost claims, announcements and retention share. */
const workerConnections = 4
/** To identity providers; each sign-in has one at a time. */
const providerConnections = 512
/** Shorter than a lease: a worker whose statement hangs goes on before its deliveries are another one's. */
const workerStatementMs = 10_000

export type Service = {
  app: FastifyInstance
  /** Gives the address it listens on. */
  listen(): Promise<string>
  stop(): Promise<void>
}

type ServiceOptions = {
  config: Config
  connection: Connection
  keyring: Keyring
  /** No other process uses this database. */
  isAlone?: boolean
  /** Tests hand in a clock that they set; else it follows the database's. */
  clock?: Clock
  /** Those of tests' receivers, in PEM; else those that Node trusts. */
  certificateAuthorities?: string[]
  /** Told as a delivery passes each of its steps. */
  onStep?: OnStep
  /** The same of a sign-in. */
  onSignInStep?: OnSignInStep
}

/**
 * Builds everything in one place, on a migrated database: the slices get what they use by name. This is the only list
 * of slices and of what runs in the background.
 */
export async function buildService(options: ServiceOptions): Promise<Service> {
  const { config, connection, keyring } = options
  const log = pino({ level: config.logLevel, serializers: { err: (error) => toLoggedError(error) } }, logDestination())
  const metrics = config.metricsPort === undefined ? undefined : await startMetrics(config.host, config.metricsPort)
  const logTrouble = createTroubleLog(log)
  const primary = createPrimary(connection, (error) => {
    logTrouble(error)
    metrics?.databaseFailed(error)
  })
  const database = openDatabase(connection, config.databaseConnections, { primary })
  const planned = { primary, planning: 'queue', timeoutMs: workerStatementMs } as const
  const workerDatabase = openDatabase(connection, workerConnections, planned)
  const ownClock = options.clock ? undefined : runningClock()
  const clock = options.clock ?? (ownClock as Clock)
  if (ownClock) await followDatabaseTime(ownClock, database.read)
  await checkServer(database.write, config.otherRegions)
  await makePartitions(database, clock.now())

  const { keyLeadMs, keyRotationMs } = config
  const keys = createKeys({ database, clock, keyring, keyLeadMs, keyRotationMs })
  const { resolve, allowCidrs, allowPorts } = config
  const { certificateAuthorities } = options
  const webhookEgressOptions = {
    ...{ resolve, allowCidrs },
    ...(allowPorts && { allowPorts }),
    ...(certificateAuthorities && { certificateAuthorities }),
  }
  const hooks = buildHooks(
    { config, database, clock, keyring, keys, webhookEgressOptions },
    {
      onUnreadable: (organization_id, err) =>
        log.error({ err, organization_id }, 'no signing key for an organization; its hooks fail'),
      ...(metrics && { onCalled: metrics.hookCalled }),
      log,
    },
  )
  const onError = (err: unknown) => log.error({ err }, 'background work failed, tried again later')
  const { isAlone = false, onStep = noStep } = options
  const observer = metrics && { onAttempted: metrics.attempted, onFinished: metrics.finished }
  const delivery = startDelivery({
    ...{ config, database: workerDatabase, clock, keyring, webhookEgressOptions, payloads: createPayloads() },
    ...{ findSigners: keys.findSigners, primary, isAlone, onStep, onError, log, ...observer },
  })
  const publish = createPublish({ clock, enqueue: delivery.enqueue })
  const credentials = createCredentials({ database, clock, keyring })
  const signIn = buildSignIn(
    { config, database, clock, keyring, publish, hooks, credentials },
    {
      onStep: options.onSignInStep ?? (() => {}),
      onOutcome: (outcome) => metrics?.signedIn(outcome),
      log,
    },
  )
  const { signIn: signInRate, token: tokenRate } = config.rates
  const limits = { signIn: createCallerLimit(clock, signInRate), token: createCallerLimit(clock, tokenRate) }
  const issuers = createIssuers({
    ...{ database, clock, keyring, keyLeadMs, keyRotationMs },
    ...{ baseUrl: config.baseUrl, lifetimes: config.lifetimes, limits },
    interactionCookies: signIn.interactionCookies,
    beginSignIn: createBeginSignIn(signIn),
    continueSession: createContinueSession(signIn),
    onError: (err) => log.error({ err }, 'an issuer failed'),
  })
  const shared = {
    ...{ config, database, clock, keyring, keys, publish, delivery, hooks, issuers, credentials },
    webhookEgressOptions,
  }
  const anonymous = createCallerLimit(clock, config.rates.public)
  const { otherRegions: others } = config
  const regions = others.length > 0 ? createRegions({ database, primary, others }) : undefined
  const app: FastifyInstance = await buildApp({
    clock,
    baseUrl: config.baseUrl,
    bounds: {
      connections: config.connections.inAll,
      connectionsOfAddress: config.connections.perAddress,
      sendTimeoutMs: config.sendTimeoutMs,
    },
    isProxy: createAddressSet(config.trustedProxies),
    pageInstead,
    anonymous,
    log,
    isAccessLogged: config.isAccessLogged,
    everywhere: regions?.everywhere,
    ...(metrics && { onAnswered: metrics.answered }),
    authentication: createAuthentication({ database, clock, operatorKey: config.operatorKey, tiers: config.tiers }),
    // A process that only works answers for its health and nothing else.
    operations: config.roles.api ? listOperations(shared) : [],
    describeCalls,
  })
  const health = serveHealth(app, createReadinessCheck(primary, clock), anonymous)
  if (config.roles.api) {
    issuers.serve(app)
    serveSignIn(app, signIn, limits.signIn)
  }

  metrics?.watchDelivery(delivery)
  metrics?.watchConnections({ requests: database.connections, delivery: workerDatabase.connections })
  const repeated = repeatWork({ ...shared, signIn, workerDatabase, ownClock }, onError)

  return {
    app,
    listen: async () => {
      const address = await app.listen({ host: config.host, port: config.port })
      // Its thread takes a quarter of a second of a core, which the start has no need to wait for.
      delivery.start()
      return address
    },
    stop: async () => {
      health.startDraining()
      if (app.server.listening) await wait(config.drainMs)
      const background = [...repeated, delivery, metrics].map((work) => work?.stop())
      // Requests in progress may be waiting for a hook.
      const requests = closeServer(app).then(hooks.stop).then(signIn.stop)
      const works = [...background, requests]
      // Some of them publish until they end.
      const finished = Promise.allSettled(works).then(() => delivery.finish())
      await atMost(stopMs, [...works, finished])
      await atMost(closeMs, [database.close(), workerDatabase.close(), regions?.stop()])
    },
  }
}

type Repeated = Shared & {
  signIn: SignInDependencies
  workerDatabase: Database
  ownClock: ReturnType<typeof runningClock> | undefined
}

function repeatWork(
  { config, database, clock, keys, issuers, signIn, workerDatabase, ownClock }: Repeated,
  onError: (error: unknown) => void,
) {
  const retained = { database: workerDatabase, clock, retentionMs: config.retentionMs, onError }
  return [
    every(minuteMs, () => purgeDeletedOrganizations(database, clock), onError),
    every(hourMs, () => makePartitions(database, clock.now()), onError),
    every(hourMs, (signal) => removeOld(retained, signal), onError, { atOnce: true }),
    every(10 * minuteMs, keys.keepUp, onError),
    every(minuteMs, (signal) => endStalledFlows(signIn, signal), onError),
    every(10 * minuteMs, issuers.keepUp, onError),
    every(5 * minuteMs, issuers.sweep, onError),
    ...(ownClock ? [every(minuteMs, () => followDatabaseTime(ownClock, database.read), onError)] : []),
  ]
}

/** Loaded only where it is asked for: the library takes 10 MB. */
async function startMetrics(host: string, port: number) {
  const { serveMetrics } = await import('./metrics.ts')
  return serveMetrics(host, port)
}

type Shared = {
  config: Config
  /** How webhooks are reached, whatever calls them. */
  webhookEgressOptions: Pick<EgressOptions, 'resolve' | 'allowCidrs' | 'allowPorts' | 'certificateAuthorities'>
  database: Database
  clock: Clock
  keyring: Keyring
  keys: Keys
  publish: Publish
  delivery: Delivery
  hooks: Hooks
  issuers: Issuers
  credentials: Credentials
}

function listOperations(shared: Shared): Operation[] {
  const { config, database, clock, keyring, keys, publish, delivery, hooks, issuers, credentials } = shared
  const { wake, revoke } = delivery
  return [
    ...organizationsOperations({
      database,
      clock,
      tiers: config.tiers,
      createSigningKeys: keys.createSigningKeys,
      closeLanes,
      revoke: (organizationId) => {
        issuers.forgetOrganization(organizationId)
        return revoke(organizationId)
      },
      countUsage: async (queries, organizationId) => ({
        groups: await countGroups(queries, organizationId),
        persons: await countPersons(queries, organizationId),
        webhooks: await countWebhooks(queries, organizationId),
      }),
    }),
    ...groupsOperations({ database, clock }),
    ...personsOperations({
      database,
      clock,
      publish,
      region: config.region,
      regions: [config.region, ...config.otherRegions],
      endSessions,
    }),
    ...webhooksOperations({
      ...{ database, clock, keyring, keys, wake, revoke, openLane, pauseLane, resumeLane },
      ...{ keySetRate: config.rates.keySet, allowPorts: config.allowPorts },
    }),
    ...deliveryLogOperations({ database, clock, wake, reopenDeliveries, retentionMs: config.retentionMs }),
    ...eventsOperations({ database, clock, publish, allowance: config.rates.testEvents }),
    ...pageEventsOperations({
      ...{ database, publish, readIdToken: issuers.readIdToken, pageOrigins: issuers.pageOrigins },
      callerLimit: createCallerLimit(clock, config.rates.pageEvents),
    }),
    ...credentialsOperations({ database, clock, keyring, baseUrl: config.baseUrl, onChange: credentials.forget }),
    ...applicationsOperations({ database, clock, onChange: issuers.forgetApplication }),
    ...hooksOperations({
      ...{ clock, region: config.region, callHook: hooks.callHook, dryRunRate: config.rates.dryRuns },
      issuerOf: (organizationId) => issuerOf(config.baseUrl, organizationId),
    }),
    ...signInOperations({ database }),
    ...issuerOperations({ issuers }),
  ]
}

/** Their egress client is not the worker's: no event takes a connection from a sign-in, nor the other way round. */
function buildHooks(
  {
    config,
    database,
    clock,
    keyring,
    keys,
    webhookEgressOptions,
  }: Pick<Shared, 'config' | 'database' | 'clock' | 'keyring' | 'keys' | 'webhookEgressOptions'>,
  told: Pick<Parameters<typeof createHooks>[0], 'onUnreadable' | 'onCalled' | 'log'>,
): Hooks {
  const { hookCalls, baseUrl } = config
  const egress = createEgressClient({ ...webhookEgressOptions, maxConnections: hookCalls.inAll })
  const { findSigners } = keys
  const loadTargets = createLoadTargets(keyring)
  return createHooks({ database, clock, egress, baseUrl, loadTargets, findSigners, ...told, caps: hookCalls })
}

/** Its egress clients lead to providers: only their addresses that the operator named may be private. */
function buildSignIn(
  {
    config,
    database,
    clock,
    keyring,
    publish,
    hooks,
    credentials,
  }: Pick<Shared, 'config' | 'database' | 'clock' | 'keyring' | 'publish' | 'hooks' | 'credentials'>,
  options: Pick<SignInDependencies, 'onStep' | 'onOutcome' | 'log'>,
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
    ...{ database, clock, publish, baseUrl, isSecure, region, tiers, flowMs },
    interactionCookies: createInteractionCookies({ keyring, clock, isSecure, flowMs }),
    providers,
    credentials,
    runTokenMinted: hooks.runTokenMinted,
    ...options,
    stop: providers.close,
  }
}

const atMost = (ms: number, works: (Promise<void> | undefined)[]) =>
  Promise.race([Promise.all(works), new Promise((resolve) => setTimeout(resolve, ms).unref())])

/** No new connection, idle ones closed, requests in progress answered within `requestsEndMs`. */
async function closeServer(app: FastifyInstance) {
  const timer = setTimeout(() => app.server.closeAllConnections(), requestsEndMs)
  await app.close()
  clearTimeout(timer)
}
