import type { Delivery } from '@signet/management'
import type { OpenSpan } from '../design/chart-data.ts'

/** The list of those that the charts count: what ended so in a span, without runs of hooks. */
export const endedDeliveries =
  (status: Delivery['status'], webhookId?: string) =>
  ({ since, until }: OpenSpan) => {
    const query = new URLSearchParams({ status, trigger_type: 'event', finished_since: since })
    if (until !== undefined) query.set('finished_until', until)
    if (webhookId !== undefined) query.set('webhook_id', webhookId)
    return `/deliveries?${query}`
  }
