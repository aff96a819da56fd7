import type { Conclusion } from './conclusion.ts'
import type { PrepareDependencies } from './prepare.ts'

/** One line tells one attempt, or why there was none. Never a header, a body or a secret. */
export function logConclusion(log: PrepareDependencies['log'], { settlement, seen }: Conclusion) {
  const { delivery, attempt } = settlement
  const { answer: _, ...shown } = attempt ?? {}
  const line = {
    organization_id: delivery.organizationId,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    trigger_name: delivery.triggerName,
    ...shown,
    ...('status' in settlement
      ? { status: settlement.status, reason: settlement.reason }
      : { next: settlement.retryAt }),
  }
  if (seen && 'succeeded' in seen && !seen.succeeded) log.info(line, 'delivery attempt failed')
  else log.debug(line, 'delivery attempt')
}
