import type { Delivery } from '@signet/management'
import type { TimeSpan } from '../design/chart-data.ts'

/** The list of those that the charts count: what ended so in a span, without runs of hooks. */
export const endedDeliveries =
  (status: Delivery['status'], webhookId?: string) =>
  ({ since, until }: TimeSpan) => {
    const webhook: Record<string, string> = webhookId === undefined ? {} : { webhook_id: webhookId }
    const span = { finished_since: since, finished_until: until }
    return `/deliveries?${new URLSearchParams({ ...webhook, status, trigger_type: 'event', ...span })}`
  }
