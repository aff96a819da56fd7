/** Tells what becomes of a claimed delivery: to the log, to whoever counts attempts, and to the settler. */
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { CallCaps } from './call-caps.ts'
import type { Conclusion } from './conclusion.ts'
import { type ConclusionLog, logConclusion } from './log-conclusion.ts'
import type { LogLine } from './log-line.ts'
import type { RetrySettings } from './retry-schedule.ts'
import type { FirstDue } from './settle-store.ts'
import { createSettler } from './settler.ts'
import type { OnStep } from './steps.ts'

/** A receiver that failed rests for this share of the first retry delay: a second of the standard minute. */
const restShare = 1 / 60

export type ConcludeDependencies = {
  database: Database
  clock: Clock
  log: ConclusionLog & { error: LogLine }
  caps: CallCaps
  retry: RetrySettings
  /** A webhook whose calls have all failed for so long is paused. */
  pauseAfterMs: number
  onStep: OnStep
  onAttempted?: (attempt: { outcome: string; seconds: number }) => void
  /** A delivery has ended. */
  onFinished?: (status: string) => void
}

/** Resolves once it is committed. Never rejects. */
export type Conclude = (conclusion: Conclusion) => Promise<void>

/** `onDue`: when the first of the lanes that were written are due. */
export function createConclude(dependencies: ConcludeDependencies, onDue: (first: FirstDue) => void): Conclude {
  const { database, clock, log, caps, retry, pauseAfterMs, onStep } = dependencies
  const settler = createSettler({
    ...{ database, clock, pauseAfterMs, onDue },
    callsPerWebhook: caps.perWebhook,
    restMs: retry.initialMs * restShare,
    failingAfterMs: retry.initialMs,
    onSettled: () => onStep('settled'),
    onError: (err) => log.error({ err }, 'what became of deliveries could not be written'),
  })
  return async (conclusion) => {
    logConclusion(log, conclusion)
    const { settlement } = conclusion
    const status = 'status' in settlement ? settlement.status : undefined
    if (settlement.attempt)
      dependencies.onAttempted?.({ outcome: status ?? 'retried', seconds: settlement.attempt.duration_ms / 1000 })
    if (status) dependencies.onFinished?.(status)
    await settler.settle(conclusion)
  }
}
