import { once } from 'node:events'
import { createServer } from 'node:http'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** Seconds; from an indexed read to the longest consistency timeout. */
const answerBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120]

export type Metrics = {
  /** `route` is the pattern of the path, never the path itself, which has ids. */
  answered(request: { method: string; route: string; status: number; seconds: number }): void
  attempted(outcome: string): void
  signedIn(outcome: string): void
  stop(): Promise<void>
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
  const signIns = new Counter({
    name: 'signet_sign_ins_total',
    help: 'Sign-ins by how they ended: succeeded, the word of the failure, or abandoned before they had begun.',
    labelNames: ['outcome'],
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
    attempted: (outcome) => attempts.inc({ outcome }),
    signedIn: (outcome) => signIns.inc({ outcome }),
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
