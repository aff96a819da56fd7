import { randomUUID } from 'node:crypto'
import { type Tracer, untraced } from '../../ground/runtime/tracer.ts'
import { version } from '../../ground/runtime/version.ts'
import type { TraceSettings } from './traces.ts'

/** A collector that is unavailable fails every few seconds; the log gets one line in so long. */
const troubleEveryMs = 600_000

/** `traces`, `logs`: whether they are exported. */
type TelemetrySettings = TraceSettings & { traces: boolean; logs: boolean }

export type Tracing = {
  tracer: Tracer
  /** Undefined where log lines are not exported. */
  exportLine: ((line: string) => void) | undefined
  /** `log`: told now and then that the collector takes nothing. */
  reportTo(log: (error: unknown) => void): void
  /** Sends what has not been sent. */
  stop(): Promise<void>
}

const off: Tracing = { tracer: untraced, exportLine: undefined, reportTo: () => {}, stop: async () => {} }

/** Loads the library only where the settings ask for traces or logs. */
export async function startTracing(settings: TelemetrySettings): Promise<Tracing> {
  if (!settings.traces && !settings.logs) return off
  const resource = await makeResource()
  const traces = settings.traces ? (await import('./traces.ts')).createTraces(settings, resource) : undefined
  const logs = settings.logs ? (await import('./exported-logs.ts')).createExportedLogs(resource) : undefined
  const { setGlobalErrorHandler } = await import('@opentelemetry/core')
  return {
    tracer: traces?.tracer ?? untraced,
    exportLine: logs?.export,
    reportTo: (log) => setGlobalErrorHandler(atMostEvery(troubleEveryMs, log)),
    stop: async () => void (await Promise.allSettled([traces?.stop(), logs?.stop()])),
  }
}

/** Named by `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` where they are set. */
async function makeResource() {
  const { detectResources, resourceAttributesEnvDetector, resourceFromAttributes, serviceNameEnvDetector } =
    await import('@opentelemetry/resources')
  const own = { 'service.name': 'signet', 'service.version': version, 'service.instance.id': randomUUID() }
  const named = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })
  return resourceFromAttributes(own).merge(named)
}

function atMostEvery(ms: number, report: (error: unknown) => void): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - reportedAt < ms) return
    reportedAt = performance.now()
    report(error)
  }
}
