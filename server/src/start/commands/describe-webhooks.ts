import type { Detached } from '../../operator/backup/copy/index.ts'

/** Of a database that was restored or copied: the lines about its webhooks. */
export const describeWebhooks = ({ webhooks_paused, deliveries_waiting }: Detached, deliver: boolean): string[] => [
  deliver
    ? 'Webhooks: as they were; what waits goes out at the start'
    : `Webhooks: ${webhooks_paused} paused; resume each with PATCH /organizations/webhooks/<id> {"enabled": true}`,
  `Deliveries that wait: ${deliveries_waiting}`,
]
