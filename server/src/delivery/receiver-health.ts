/** What requests show of a receiver: whether it is healthy, and how many of its deliveries may be in flight. */
import { setBounded } from '../runtime/bounded-map.ts'
import type { LaneKey, LaneReport, Observation, Settlement } from './delivery.ts'

/** Deliveries of one lane in flight. It is claimed from again when half of them are settled, and the rest must last until then. */
export const maxPrefetch = 1_600
/** How much is claimed ahead, in time at the receiver's speed; well within the lease. */
const aheadMs = 500
/** A receiver whose requests take so long is slow. */
const slowMs = 1_000
/** Receivers that are remembered; the latency of a forgotten one is measured anew. */
const maxRemembered = 10_000
/** Share of the newest request in a receiver's average. */
const newestWeight = 0.2

export const isFast = (averageMs: number) => averageMs < slowMs

/**
 * How many deliveries of a receiver that answers may be claimed at once: half a second's worth at its pace (`averageMs` a request,
 * `requestsAtOnce` of them). At least twice the requests, for more is claimed when half are settled; of a slow one only as many as
 * requests.
 */
export function prefetchLimit(averageMs: number, requestsAtOnce: number): number {
  if (!isFast(averageMs)) return requestsAtOnce
  const ahead = Math.floor((requestsAtOnce * aheadMs) / Math.max(averageMs, 0.1))
  return Math.min(Math.max(ahead, 2 * requestsAtOnce), Math.max(maxPrefetch, 2 * requestsAtOnce))
}

type Latencies = ReturnType<typeof createLatencies>

/** How long receivers take to respond, in milliseconds, as a moving average. */
export function createLatencies() {
  const averages = new Map<string, number>()
  return {
    /** The time that a delivery waited in vain counts in full: the receiver became slow. */
    note(laneName: string, observation: Observation) {
      const hasWaited = 'waitedMs' in observation
      const ms = hasWaited ? observation.waitedMs : observation.tookMs
      const before = averages.get(laneName) ?? ms
      setBounded(averages, laneName, before + (ms - before) * (hasWaited ? 1 : newestWeight), maxRemembered)
    },
    /** 0 for an unknown receiver. */
    average: (laneName: string) => averages.get(laneName) ?? 0,
  }
}

/** One report for each lane. One success among its settlements is enough: the receiver lives. */
export function reportLanes(settlements: Settlement[], latencies: Latencies, requestsPerWebhook: number): LaneReport[] {
  const reports = new Map<string, LaneReport>()
  for (const { delivery, observation } of settlements) {
    const { laneName } = delivery
    const report = reports.get(laneName) ?? reportOf(delivery, latencies.average(laneName), requestsPerWebhook)
    if (observation && 'succeeded' in observation) report.succeeded ||= observation.succeeded
    reports.set(laneName, report)
  }
  return [...reports.values()]
}

const reportOf = ({ organizationId, webhookId }: LaneKey, average: number, requestsPerWebhook: number): LaneReport => ({
  ...{ organizationId, webhookId, succeeded: null },
  ...{ isHealthy: isFast(average), maxInFlight: prefetchLimit(average, requestsPerWebhook) },
})
