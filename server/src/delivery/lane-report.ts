import { claimRoom, isQuick } from './claim-room.ts'
import type { Conclusion } from './conclusion.ts'
import type { LaneKey } from './lane-key.ts'
import type { Latencies } from './latencies.ts'
import type { LaneReport } from './settle-store.ts'

/** What conclusions say of their receivers. One success among them is enough: the receiver lives. */
export function reportLanes(conclusions: Conclusion[], latencies: Latencies, callsPerWebhook: number): LaneReport[] {
  const reports = new Map<string, LaneReport>()
  for (const { settlement, seen } of conclusions) {
    const { delivery } = settlement
    const report =
      reports.get(delivery.laneName) ?? reportOf(delivery, latencies.average(delivery.laneName), callsPerWebhook)
    if (seen && 'succeeded' in seen) report.succeeded ||= seen.succeeded
    reports.set(delivery.laneName, report)
  }
  return [...reports.values()]
}

const reportOf = ({ organizationId, webhookId }: LaneKey, average: number, callsPerWebhook: number): LaneReport => ({
  ...{ organizationId, webhookId, succeeded: null },
  ...{ isQuick: isQuick(average), room: claimRoom(average, callsPerWebhook) },
})
