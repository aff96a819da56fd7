import { type Logger, pino } from 'pino'
import { createTroubleLog } from '../ground/database/trouble-log.ts'
import { toLoggedError } from '../ground/http/chain/logged-error.ts'
import { untraced } from '../ground/runtime/tracer.ts'
import type { Metrics, Tracing } from '../operator/telemetry/index.ts'
import { logDestination } from './log-destination.ts'

/** The log of the service, whose lines name the trace that they belong to. */
export function buildLog(level: string, { tracer, exportLine, reportTo }: Tracing): Logger {
  const output = logDestination()
  const destination = exportLine
    ? {
        write: (line: string) => {
          output.write(line)
          exportLine(line)
        },
      }
    : output
  const serializers = { err: (error: unknown) => toLoggedError(error) }
  const log = pino(
    { level, serializers, ...(tracer !== untraced && { mixin: () => tracer.current()?.ids ?? {} }) },
    destination,
  )
  reportTo((err) =>
    log.warn({ err }, 'the collector of traces and logs is unavailable; what it does not take is dropped'),
  )
  return log
}

/** What is to be called with each error that says that the database is unavailable. */
export function logTroubleOf(log: Logger, metrics: Metrics | undefined) {
  const logTrouble = createTroubleLog(log)
  return (error: unknown) => {
    logTrouble(error)
    metrics?.databaseFailed(error)
  }
}
