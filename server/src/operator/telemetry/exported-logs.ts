import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { batches } from './batches.ts'

/** Fields of a line that its record has in places of their own, or that say what the resource says. */
type Line = {
  level: number
  time: number
  msg?: string
  trace_id?: string
  span_id?: string
  pid?: number
  hostname?: string
}

/** `export`: takes a line as the log writes it, so that nothing is exported that is not printed. */
export function createExportedLogs(resource: Resource): { export(line: string): void; stop(): Promise<void> } {
  const processors = [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter(), ...batches })]
  const provider = new LoggerProvider({ resource, processors })
  const logger = provider.getLogger('signet')
  return {
    export: (text) => {
      const {
        level,
        time,
        msg,
        trace_id,
        span_id,
        pid: _pid,
        hostname: _hostname,
        ...attributes
      } = JSON.parse(text) as Line
      logger.emit({
        timestamp: time,
        severityNumber: severityOf(level),
        body: msg ?? '',
        attributes,
        context: contextOf(trace_id, span_id),
      })
    },
    stop: () => provider.shutdown(),
  }
}

/** Ours are 10 (trace) to 60 (fatal), those of OpenTelemetry 1 to 21, in steps of four. */
const severityOf = (level: number) => (level / 10) * 4 - 3

const contextOf = (traceId: string | undefined, spanId: string | undefined) =>
  traceId && spanId ? trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1 }) : ROOT_CONTEXT
