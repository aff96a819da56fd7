import type { Conclusion } from './conclusion.ts'
import type { LogLine } from './log-line.ts'

export type ConclusionLog = { level: string; info: LogLine; debug: LogLine }

/**
 * One line tells one attempt, or why there was none. Those that did not fail are told at the level `debug` alone,
 * the lowest of `config.ts`, and not made at all elsewhere: nearly all of them succeed.
 */
export function logConclusion(log: ConclusionLog, conclusion: Conclusion) {
  const { seen } = conclusion
  if (seen && 'succeeded' in seen && !seen.succeeded) log.info(lineOf(conclusion), 'delivery attempt failed')
  else if (log.level === 'debug') log.debug(lineOf(conclusion), 'delivery attempt')
}

/** Never a header, a body or a secret. */
function lineOf({ settlement, error }: Conclusion) {
  const { delivery, attempt } = settlement
  const { answer: _, ...shown } = attempt ?? {}
  return {
    organization_id: delivery.organizationId,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    trigger_name: delivery.triggerName,
    ...shown,
    ...(error && { error }),
    ...('status' in settlement
      ? { status: settlement.status, reason: settlement.reason }
      : { next: settlement.retryAt }),
  }
}
