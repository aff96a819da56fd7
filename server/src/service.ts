import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { type Clock, runningClock } from './clock.ts'
import type { Config } from './config.ts'
import { type Database, openDatabase } from './database/database.ts'
import { followDatabaseTime } from './database/database-time.ts'
import { makePartitions } from './database/day-partitions.ts'
import { closeLanes, createWorker, type Worker } from './delivery/index.ts'
import { createPublish, eventsOperations } from './events/index.ts'
import { countGroups, groupsOperations } from './groups/index.ts'
import { buildApp } from './http/app.ts'
import { serveHealth } from './http/health.ts'
import { createKeys, type Vault } from './keys/index.ts'
import { serveMetrics } from './metrics.ts'
import { createAuthentication, organizationsOperations, purgeDeletedOrganizations } from './organizations/index.ts'
import { openDoor } from './outbound/index.ts'
import { countPersons, personsOperations } from './persons/index.ts'
import { readinessChecks } from './readiness.ts'
import { every } from './repeat.ts'
import { countWebhooks, createLoadTargets, webhooksOperations } from './webhooks/index.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Requests in progress may take so long when the service stops; then their connections are closed. */
const drainMs = 3_000
/** Connections of the worker: claims, settlements, and one to spare. */
const workerConnections = 3
/**
 * The worker's statements find every row by an index. On a nearly empty queue the planner would prefer a scan, keep
 * that plan, and still scan when a million rows have come (100 ms instead of 3, measured).
 */
const workerPlanning =
  '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan'

export type Service = {
  app: FastifyInstance
  /** Where the service listens; undefined without the `api` role. */
  listen(): Promise<string | undefined>
  stop(): Promise<void>
}

type ServiceOptions = {
  config: Config
  connection: pg.ClientConfig
  vault: Vault
  /** Tests hand in a clock that they set; else it follows the database's. */
  clock?: Clock
}

/**
 * Builds everything in one place, on a migrated database: the slices get what they use by name. This is the only list
 * of slices and of what runs in the background.
 */
export async function buildService(options: ServiceOptions): Promise<Service> {
  const { config, connection, vault } = options
  const database = openDatabase(connection, config.databaseConnections)
  const workerDatabase = openDatabase({ ...connection, options: workerPlanning }, workerConnections)
  const ownClock = options.clock ? undefined : runningClock()
  const clock = options.clock ?? (ownClock as Clock)
  if (ownClock) await followDatabaseTime(ownClock, database.read)
  await makePartitions(database, clock.now())
  const metrics = config.metricsPort === undefined ? undefined : await serveMetrics(config.host, config.metricsPort)

  const keys = createKeys({ database, clock, vault })
  const door = openDoor({ resolve: config.resolve, allowCidrs: config.allowCidrs, maxConnections: config.callsInAll })
  const loadTargets = createLoadTargets(vault)
  let worker: Worker | undefined
  const publish = createPublish({ clock, wake: (...woken) => worker?.wake(...woken) })

  const app = await buildApp({
    clock,
    baseUrl: config.baseUrl,
    trustedProxies: config.trustedProxies,
    logLevel: config.logLevel,
    ...(metrics && { onAnswered: metrics.answered }),
    authentication: createAuthentication({ database, clock, operatorKey: config.operatorKey, tiers: config.tiers }),
    operations: [
      ...organizationsOperations({
        database,
        clock,
        tiers: config.tiers,
        createSigningKeys: keys.createSigningKeys,
        closeLanes,
        countUsage: async (queries, organizationId) => ({
          groups: await countGroups(queries, organizationId),
          persons: await countPersons(queries, organizationId),
          webhooks: await countWebhooks(queries, organizationId),
        }),
      }),
      ...groupsOperations({ database, clock }),
      ...personsOperations({ database, clock, publish, region: config.region }),
      ...webhooksOperations({ database, clock, vault, keys, keySetRate: config.rates.keySet }),
      ...eventsOperations({ database, clock, publish, allowance: config.rates.testEvents }),
    ],
  })
  serveHealth(app, readinessChecks(database.read, clock))

  if (config.roles.worker)
    worker = createWorker({
      database: workerDatabase,
      clock,
      door,
      baseUrl: config.baseUrl,
      retry: config.retry,
      callsPerWebhook: config.callsPerWebhook,
      callsInAll: config.callsInAll,
      loadTargets,
      signingKey: keys.signingKey,
      log: app.log,
      ...(metrics && { onAttempted: metrics.attempted }),
    })
  worker?.start()

  const onError = (err: unknown) => app.log.error({ err }, 'background work failed, tried again later')
  const repeated = [
    every(minuteMs, () => (ownClock ? followDatabaseTime(ownClock, database.read) : Promise.resolve()), onError),
    every(minuteMs, () => purgeDeletedOrganizations(database, clock), onError),
    every(hourMs, () => makePartitions(database, clock.now()), onError),
  ]

  return {
    app,
    listen: async () => {
      if (config.roles.api) return app.listen({ host: config.host, port: config.port })
      await app.ready()
      return undefined
    },
    stop: async () => {
      await Promise.all([...repeated.map((work) => work.stop()), drain(app), worker?.stop(), metrics?.stop()])
      await door.close()
      await closeDatabases([database, workerDatabase])
    },
  }
}

/** No new connection, idle ones closed, requests in progress answered within `drainMs`. */
async function drain(app: FastifyInstance) {
  const timer = setTimeout(() => app.server.closeAllConnections(), drainMs)
  await app.close()
  clearTimeout(timer)
}

const closeDatabases = (databases: Database[]) => Promise.all(databases.map((database) => database.close()))
