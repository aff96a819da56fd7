import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { type Clock, runningClock } from './clock.ts'
import type { Config } from './config.ts'
import { type Database, openDatabase } from './database/database.ts'
import { followDatabaseTime } from './database/database-time.ts'
import { makePartitions } from './database/day-partitions.ts'
import { closeLanes, createWorker, type Worker } from './delivery/index.ts'
import { createPublish, eventsOperations, type Publish } from './events/index.ts'
import { countGroups, groupsOperations } from './groups/index.ts'
import { buildApp } from './http/app.ts'
import { serveHealth } from './http/health.ts'
import type { Operation } from './http/operation.ts'
import { createKeys, type Keys, type Vault } from './keys/index.ts'
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
/** More than requests, calls and their settlements may take: what still goes on waits for a database that is away. */
const stopMs = 6_000
/** A connection is closed by both sides, and a database that is away does not do its part. */
const closeMs = 500
/** Connections of the worker: claims, settlements, and one to spare. */
const workerConnections = 3
/**
 * Its statements take few rows from many, each by an index and in the index's order, whatever the statistics of tables
 * that were just empty say: a plan is kept until PostgreSQL has counted anew, and may read all that has come by then.
 */
const notPlanned = ['seqscan', 'bitmapscan', 'sort', 'incremental_sort', 'hashjoin', 'mergejoin']
export const workerPlanning = [
  '-c plan_cache_mode=force_generic_plan',
  ...notPlanned.map((step) => `-c enable_${step}=off`),
].join(' ')

export type Service = {
  app: FastifyInstance
  /** Gives the address it listens on. */
  listen(): Promise<string>
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
  const metrics = config.metricsPort === undefined ? undefined : await startMetrics(config.host, config.metricsPort)

  const keys = createKeys({ database, clock, vault })
  let worker: Worker | undefined
  const publish = createPublish({ clock, wake: (...woken) => worker?.wake(...woken) })
  const shared = { config, database, clock, vault, keys, publish }
  const app = await buildApp({
    clock,
    baseUrl: config.baseUrl,
    trustedProxies: config.trustedProxies,
    logLevel: config.logLevel,
    ...(metrics && { onAnswered: metrics.answered }),
    authentication: createAuthentication({ database, clock, operatorKey: config.operatorKey, tiers: config.tiers }),
    // A process that only works answers for its health and nothing else.
    operations: config.roles.api ? listOperations(shared) : [],
  })
  serveHealth(app, readinessChecks(database.read, clock))
  if (config.roles.worker)
    worker = buildWorker(
      { ...shared, database: workerDatabase },
      app.log,
      metrics && { onAttempted: metrics.attempted },
    )
  worker?.start()

  const onError = (err: unknown) => app.log.error({ err }, 'background work failed, tried again later')
  const repeated = [
    every(minuteMs, () => purgeDeletedOrganizations(database, clock), onError),
    every(hourMs, () => makePartitions(database, clock.now()), onError),
    ...(ownClock ? [every(minuteMs, () => followDatabaseTime(ownClock, database.read), onError)] : []),
  ]

  return {
    app,
    listen: () => app.listen({ host: config.host, port: config.port }),
    stop: async () => {
      await atMost(stopMs, [...repeated.map((work) => work.stop()), drain(app), worker?.stop(), metrics?.stop()])
      await atMost(closeMs, [database.close(), workerDatabase.close()])
    },
  }
}

/** Loaded only where it is asked for: the library takes 10 MB. */
async function startMetrics(host: string, port: number) {
  const { serveMetrics } = await import('./metrics.ts')
  return serveMetrics(host, port)
}

type Shared = { config: Config; database: Database; clock: Clock; vault: Vault; keys: Keys; publish: Publish }

function listOperations({ config, database, clock, vault, keys, publish }: Shared): Operation[] {
  return [
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
  ]
}

function buildWorker(
  { config, database, clock, vault, keys }: Shared,
  log: FastifyInstance['log'],
  observer: { onAttempted: (outcome: string) => void } | undefined,
): Worker {
  const { resolve, allowCidrs, callsPerWebhook, callsInAll, baseUrl, retry } = config
  const door = openDoor({ resolve, allowCidrs, maxConnections: callsInAll })
  const loadTargets = createLoadTargets(vault)
  const signingKey = keys.signingKey
  return createWorker({
    ...{ database, clock, door, baseUrl, retry, callsPerWebhook, callsInAll, loadTargets, signingKey, log },
    ...observer,
  })
}

const atMost = (ms: number, works: (Promise<void> | undefined)[]) =>
  Promise.race([Promise.all(works), new Promise((resolve) => setTimeout(resolve, ms).unref())])

/** No new connection, idle ones closed, requests in progress answered within `drainMs`. */
async function drain(app: FastifyInstance) {
  const timer = setTimeout(() => app.server.closeAllConnections(), drainMs)
  await app.close()
  clearTimeout(timer)
}
