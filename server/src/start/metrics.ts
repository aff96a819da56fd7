import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { PoolCounts } from '../database/pool.ts'
import { troubleOf } from '../database/postgres-error.ts'
import type { LongestWait } from '../delivery/index.ts'

/** For the database, which may be silent: the other metrics do not wait for it. */
const databaseMs = 1_000
/** Seconds; from an indexed read to the longest consistency timeout. */
const answerBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120]

/** Seconds; up to the longest timeout of a webhook, three times for a hook. */
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60]

export type Metrics = {
  /** `route` is the pattern of the path, never the path itself, which has ids. */
  answered(request: { method: string; route: string; status: number; seconds: number }): void
  attempted(attempt: { outcome: string; seconds: number }): void
  finished(status: string): void
  hookCalled(call: { outcome: string; seconds: number }): void
  signedIn(outcome: string): void
  databaseFailed(error: unknown): void
  /** What is asked when the metrics are. */
  watchDelivery(delivery: WatchedDelivery): void
  /** Connections by what they are for. */
  watchConnections(counts: Record<string, () => PoolCounts>): void
  stop(): Promise<void>
}

type WatchedDelivery = {
  /** For how long the thread that calls was busy since it began. */
  busyMs(): number
  longestWaits(): Promise<LongestWait[]>
  countUnfinished(): Promise<number>
}

/** `GET /metrics` in Prometheus's text form, on a port of its own. Names no organization, person or address. */
export async function serveMetrics(host: string, port: number): Promise<Metrics> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const answers = new Histogram({
    name: 'signet_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: answerBuckets,
    registers: [registry],
  })
  const attempts = new Counter({
    name: 'signet_delivery_attempts_total',
    help: 'Delivery attempts by what became of the delivery: succeeded, retried or dropped.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const attemptSeconds = new Histogram({
    name: 'signet_delivery_attempt_duration_seconds',
    help: 'Time of a delivery attempt, from its beginning to the end of the answer or to its failure.',
    labelNames: ['outcome'],
    buckets: callBuckets,
    registers: [registry],
  })
  const deliveries = new Counter({
    name: 'signet_deliveries_total',
    help: 'Deliveries that ended, by how: succeeded, dropped or cancelled.',
    labelNames: ['status'],
    registers: [registry],
  })
  const hookSeconds = new Histogram({
    name: 'signet_hook_call_duration_seconds',
    help: 'Time of a call of a synchronous hook with all its attempts, by how it ended: succeeded, or why not.',
    labelNames: ['outcome'],
    buckets: callBuckets,
    registers: [registry],
  })
  const signIns = new Counter({
    name: 'signet_sign_ins_total',
    help: 'Sign-ins by how they ended: succeeded, the word of the failure, or abandoned before they had begun.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const databaseErrors = new Counter({
    name: 'signet_database_errors_total',
    help: 'Errors that say that the database is unavailable: read_only, full, refused, unreachable or failing.',
    labelNames: ['error'],
    registers: [registry],
  })
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    response.setHeader('content-type', registry.contentType).end(await registry.metrics())
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    answered: ({ method, route, status, seconds }) => answers.observe({ method, route, status }, seconds),
    attempted: ({ outcome, seconds }) => {
      attempts.inc({ outcome })
      attemptSeconds.observe({ outcome }, seconds)
    },
    finished: (status) => deliveries.inc({ status }),
    hookCalled: ({ outcome, seconds }) => hookSeconds.observe({ outcome }, seconds),
    signedIn: (outcome) => signIns.inc({ outcome }),
    databaseFailed: (error) => databaseErrors.inc({ error: troubleOf(error).code }),
    watchDelivery: (delivery) => watchDelivery(registry, delivery),
    watchConnections: (counts) => watchConnections(registry, counts),
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function watchDelivery(registry: Registry, { busyMs, longestWaits, countUnfinished }: WatchedDelivery) {
  new Gauge({
    name: 'signet_deliveries_unfinished',
    help: 'Deliveries that are not finished, counted up to 100,000; absent while the database is away.',
    registers: [registry],
    async collect() {
      const count = await Promise.race([countUnfinished(), wait(databaseMs, undefined, { ref: false })]).catch(() => {})
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
  new Counter({
    name: 'signet_sender_busy_seconds_total',
    help: 'Time in which the thread that calls webhooks was busy, of at most one second each second.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(busyMs() / 1000)
    },
  })
  new Gauge({
    name: 'signet_delivery_wait_seconds',
    help: 'For how long the webhook waits for its turn that waits longest; absent while the database is away.',
    labelNames: ['receivers'],
    registers: [registry],
    async collect() {
      this.reset()
      const waits = await Promise.race([longestWaits(), wait(databaseMs, [], { ref: false })]).catch(() => [])
      for (const { receivers, ms } of waits) this.set({ receivers }, ms / 1000)
    },
  })
}

function watchConnections(registry: Registry, counts: Record<string, () => PoolCounts>) {
  new Gauge({
    name: 'signet_database_pool_connections',
    help: 'Connections for transactions by pool and state: in use, idle, or waiting, which are requests without one.',
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
