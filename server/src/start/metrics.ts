import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { PoolCounts } from '../database/pool.ts'
import { troubleOf } from '../database/postgres-error.ts'
import type { LongestWait } from '../delivery/index.ts'

/** A database that does not answer delays the other metrics by at most this. */
const databaseMs = 1_000
/** Seconds, from an indexed read to the longest consistency timeout. */
const httpBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120]

/** Seconds, up to the longest timeout of a webhook, and three times that for a hook. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60]

export type Metrics = {
  /** `route` is the pattern of the path, never the path itself, which has ids. */
  answered(request: { method: string; route: string; status: number; seconds: number }): void
  attempted(attempt: { outcome: string; seconds: number }): void
  finished(status: string): void
  hookCalled(call: { outcome: string; seconds: number }): void
  signedIn(outcome: string): void
  databaseFailed(error: unknown): void
  /** Read at each request for the metrics. */
  watchDelivery(delivery: WatchedDelivery): void
  /** How many event streams are open. */
  watchStreams(streams: { count(): number }): void
  /** Connections by pool. */
  watchConnections(counts: Record<string, () => PoolCounts>): void
  watchFeed(findHolder: () => Promise<FeedHolder | undefined>): void
  stop(): Promise<void>
}

/** The transaction that holds readers of the feed back. */
type FeedHolder = { seconds: number; placesBehind: number }

type WatchedDelivery = {
  /** Busy time of the sender thread since its start. */
  busyMs(): number
  longestWaits(): Promise<LongestWait[]>
  countUnfinished(): Promise<number>
}

/** `GET /metrics` in Prometheus's text form, on a port of its own. Names no organization, person or address. */
export async function serveMetrics(host: string, port: number): Promise<Metrics> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    response.setHeader('content-type', registry.contentType).end(await registry.metrics())
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    ...createRecorders(registry),
    watchDelivery: (delivery) => watchDelivery(registry, delivery),
    watchStreams: (streams) => watchStreams(registry, streams),
    watchConnections: (counts) => watchConnections(registry, counts),
    watchFeed: (findHolder) => watchFeed(registry, findHolder),
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Recorders = Omit<Metrics, Extract<keyof Metrics, `watch${string}`> | 'stop'>

function createRecorders(registry: Registry): Recorders {
  const registers = [registry]
  const counter = (name: string, labelNames: string[], help: string) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = (name: string, labelNames: string[], buckets: number[], help: string) =>
    new Histogram({ name, help, labelNames, buckets, registers })

  const requests = histogram(
    'signet_http_request_duration_seconds',
    ['method', 'route', 'status'],
    httpBuckets,
    'Time from the arrival of a request to the end of its response.',
  )
  const attempts = counter(
    'signet_delivery_attempts_total',
    ['outcome'],
    'Delivery attempts by outcome: succeeded, retried or dropped.',
  )
  const attemptSeconds = histogram(
    'signet_delivery_attempt_duration_seconds',
    ['outcome'],
    requestBuckets,
    'Duration of a delivery attempt, from its start to the end of the response or to its failure.',
  )
  const deliveries = counter(
    'signet_deliveries_total',
    ['status'],
    'Finished deliveries by status: succeeded, dropped or cancelled.',
  )
  const hooks = histogram(
    'signet_hook_call_duration_seconds',
    ['outcome'],
    requestBuckets,
    'Duration of a synchronous hook with all its attempts, by outcome: succeeded, or the reason of its failure.',
  )
  const signIns = counter(
    'signet_sign_ins_total',
    ['outcome'],
    'Sign-ins by outcome: succeeded, the code of the failure, or abandoned before they began.',
  )
  const databaseErrors = counter(
    'signet_database_errors_total',
    ['error'],
    'Errors of an unavailable database: read_only, full, refused, unreachable or failing.',
  )
  return {
    answered: ({ method, route, status, seconds }) => requests.observe({ method, route, status }, seconds),
    attempted: ({ outcome, seconds }) => {
      attempts.inc({ outcome })
      attemptSeconds.observe({ outcome }, seconds)
    },
    finished: (status) => deliveries.inc({ status }),
    hookCalled: ({ outcome, seconds }) => hooks.observe({ outcome }, seconds),
    signedIn: (outcome) => signIns.inc({ outcome }),
    databaseFailed: (error) => databaseErrors.inc({ error: troubleOf(error).code }),
  }
}

function watchDelivery(registry: Registry, { busyMs, longestWaits, countUnfinished }: WatchedDelivery) {
  new Gauge({
    name: 'signet_deliveries_unfinished',
    help: 'Unfinished deliveries, counted up to 100,000; absent while the database is unavailable.',
    registers: [registry],
    async collect() {
      const count = await Promise.race([countUnfinished(), wait(databaseMs, undefined, { ref: false })]).catch(() => {})
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
  new Counter({
    name: 'signet_sender_busy_seconds_total',
    help: 'Busy time of the sender thread, at most one second per second.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(busyMs() / 1000)
    },
  })
  new Gauge({
    name: 'signet_delivery_wait_seconds',
    help: 'How long the webhook that has waited longest for a worker has been due, by receiver class; absent while the database is unavailable.',
    labelNames: ['receivers'],
    registers: [registry],
    async collect() {
      this.reset()
      const waits = await Promise.race([longestWaits(), wait(databaseMs, [], { ref: false })]).catch(() => [])
      for (const { receivers, ms } of waits) this.set({ receivers }, ms / 1000)
    },
  })
}

function watchStreams(registry: Registry, { count }: { count(): number }) {
  new Gauge({
    name: 'signet_event_streams',
    help: 'Event streams that are open.',
    registers: [registry],
    collect() {
      this.set(count())
    },
  })
}

function watchConnections(registry: Registry, counts: Record<string, () => PoolCounts>) {
  new Gauge({
    name: 'signet_database_pool_connections',
    help: 'Connections for transactions by pool and state: in_use, idle, or waiting (for a connection).',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, count] of Object.entries(counts)) {
        const { inUse, idle, waiting } = count()
        this.set({ pool, state: 'in_use' }, inUse)
        this.set({ pool, state: 'idle' }, idle)
        this.set({ pool, state: 'waiting' }, waiting)
      }
    },
  })
}

function watchFeed(registry: Registry, findHolder: () => Promise<FeedHolder | undefined>) {
  let reading: Promise<FeedHolder | undefined | null> | undefined
  /** The figures are collected at once, from one reading. */
  const read = () => {
    reading ??= Promise.race([findHolder(), wait(databaseMs, null, { ref: false })])
      .catch(() => null)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const gauge = (name: string, help: string, figure: (holder: FeedHolder) => number) =>
    new Gauge({
      name,
      help: `${help} 0: none older than a second; absent while the database is unavailable.`,
      registers: [registry],
      async collect() {
        const holder = await read()
        if (holder === null) this.remove()
        else this.set(holder ? figure(holder) : 0)
      },
    })
  gauge(
    'signet_feed_held_back_seconds',
    'Age of the transaction that has published, has not ended, and holds readers of the feed back.',
    ({ seconds }) => seconds,
  )
  gauge(
    'signet_feed_places_behind',
    'Places drawn since that transaction began to hold readers back.',
    ({ placesBehind }) => placesBehind,
  )
}
