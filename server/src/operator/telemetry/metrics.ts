import { once } from 'node:events'
import { createServer } from 'node:http'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { troubleOf } from '../../ground/database/postgres-error.ts'
import { createWatches, type Watches } from './watches.ts'

/** Seconds, from an indexed read to the longest consistency timeout. */
const httpBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120]

/** Seconds, up to the longest timeout of a webhook, and three times that for a hook. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60]

export type Metrics = Recorders & Watches & { stop(): Promise<void> }

/** Called as things happen. */
type Recorders = {
  /** `route` is the pattern of the path, never the path itself, which has ids. */
  answered(request: { method: string; route: string; status: number; seconds: number }): void
  attempted(attempt: { outcome: string; seconds: number }): void
  finished(status: string): void
  hookCalled(call: { outcome: string; seconds: number }): void
  signedIn(outcome: string): void
  databaseFailed(error: unknown): void
}

/** `GET /metrics` in Prometheus's text form, on a port of its own. Names no organization, person or address. */
export async function serveMetrics(host: string, port: number): Promise<Metrics> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const server = createServer(async (request, response) => {
    response.setHeader('x-content-type-options', 'nosniff')
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    response.setHeader('content-type', registry.contentType).end(await registry.metrics())
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    ...createRecorders(registry),
    ...createWatches(registry),
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

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
    'Time from the arrival of a request to the end of its response. Event streams are not in it.',
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
    'Duration of a synchronous hook with all its attempts, by outcome: succeeded, refused, or the reason of its failure.',
  )
  const signIns = counter(
    'signet_sign_ins_total',
    ['outcome'],
    'Sign-ins by outcome: succeeded, the code of the failure, or abandoned before they began.',
  )
  const databaseErrors = counter(
    'signet_database_errors_total',
    ['error'],
    'How often the database was found unavailable, by error, as /readyz has it: read_only, full, refused, unreachable or failing.',
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

type Described = { name: string; type: string; labels: string[]; help: string }
/** The library's type leaves the labels out. */
type Registered = { name: string; type: string; labelNames: string[]; help: string }

/** Every metric of Signet's own by its name, from a registry that nobody reads: what is watched stays unread. */
export function describeMetrics(): Described[] {
  const registry = new Registry()
  createRecorders(registry)
  for (const watch of Object.values(createWatches(registry))) watch({} as never)
  return (registry.getMetricsAsArray() as unknown as Registered[])
    .map(({ name, type, labelNames, help }) => ({ name, type, labels: labelNames, help }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
