import { claimRoom, isQuick } from './claim-room.ts'
import type { Conclusion } from './conclusion.ts'
import { nameOfLane } from './lane-store.ts'
import type { Latencies } from './latencies.ts'
import type { LaneReport } from './settle-store.ts'

/** What conclusions say of their receivers. One success among them is enough: the receiver lives. */
export function reportLanes(conclusions: Conclusion[], latencies: Latencies, callsPerWebhook: number): LaneReport[] {
  const reports = new Map<string, LaneReport>()
  for (const { settlement, seen } of conclusions) {
    const { organizationId, webhookId } = settlement.delivery
    const name = nameOfLane(settlement.delivery)
    const before = reports.get(name)?.succeeded ?? null
    const succeeded = before || (seen && 'succeeded' in seen ? seen.succeeded : before)
    const average = latencies.average(settlement.delivery)
    const room = claimRoom(average, callsPerWebhook)
    reports.set(name, { organizationId, webhookId, succeeded, isQuick: isQuick(average), room })
  }
  return [...reports.values()]
}
