/**
 * What operators see of a running process: metrics for Prometheus, and traces and lines of the log for an OpenTelemetry collector.
 *
 * Owns: `GET /metrics` on a port of its own, the names and labels of all metrics, and the library behind `Tracer`. No tables.
 * Leaves to `start` what is measured, and to each slice which work is a span. The collector is the operator's own, named by a setting,
 * so that requests to it are not among those of `outbound`.
 */
import type { Metrics } from './metrics.ts'

export { startTracing, type Tracing } from './tracing.ts'
export { createVacuumReading } from './vacuum.ts'
export type { Metrics }

/** Loaded only where metrics are on: the library takes 10 MB. */
export async function startMetrics(host: string, port: number): Promise<Metrics> {
  const { serveMetrics } = await import('./metrics.ts')
  return serveMetrics(host, port)
}
