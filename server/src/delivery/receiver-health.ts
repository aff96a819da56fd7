/** What calls show of a receiver: whether it is healthy, and how many of its deliveries may be in flight. */
import { keepNewest } from '../runtime/keep-newest.ts'
import type { LaneKey, LaneReport, Observation, Settlement } from './delivery.ts'

/**
 * The most deliveries of one lane in flight. It is claimed again when half are settled, and the rest must last until then: at
 * 15,000 calls a second hundreds are answered and not settled yet, and with 800 there was nothing to call 11 % of the time (measured).
 */
export const maxPrefetch = 1_600
/** So much of the future is claimed ahead; well within the lease. */
const aheadMs = 500
/** A receiver whose calls take so long is slow: it shares half of all calls with those that do not answer. */
const slowMs = 1_000
/** Receivers that are remembered; of one that was forgotten it is found anew. */
const maxRemembered = 10_000
/** Share of the newest call in a receiver's average. */
const newestWeight = 0.2

export const isHealthy = (averageMs: number) => averageMs < slowMs

/**
 * How many deliveries of a receiver that answers may be claimed at once, the calls under way and what waits for them: half
 * a second's worth at the pace it answers (`averageMs` a call, `callsAtOnce` of them), so that claims are large where calls
 * are short. Twice the calls at least, for more is claimed when half are settled; but of a slow one only what is called.
 */
export function prefetchLimit(averageMs: number, callsAtOnce: number): number {
  if (!isHealthy(averageMs)) return callsAtOnce
  const ahead = Math.floor((callsAtOnce * aheadMs) / Math.max(averageMs, 0.1))
  return Math.min(Math.max(ahead, 2 * callsAtOnce), Math.max(maxPrefetch, 2 * callsAtOnce))
}

export type Latencies = ReturnType<typeof createLatencies>

/** How long receivers take to answer, in milliseconds, on a moving average. */
export function createLatencies() {
  const averages = new Map<string, number>()
  return {
    /** The time that a delivery waited in vain counts in full: the receiver became slow. */
    note(laneName: string, observation: Observation) {
      const ms = 'waitedMs' in observation ? observation.waitedMs : observation.tookMs
      const before = averages.get(laneName) ?? ms
      const weight = 'waitedMs' in observation ? 1 : newestWeight
      keepNewest(averages, laneName, before + (ms - before) * weight, maxRemembered)
    },
    /** 0 for a receiver that is not known. */
    average: (laneName: string) => averages.get(laneName) ?? 0,
  }
}

/** One report for each lane. One success among its settlements is enough: the receiver lives. */
export function reportLanes(settlements: Settlement[], latencies: Latencies, callsPerWebhook: number): LaneReport[] {
  const reports = new Map<string, LaneReport>()
  for (const { delivery, observation } of settlements) {
    const report =
      reports.get(delivery.laneName) ?? reportOf(delivery, latencies.average(delivery.laneName), callsPerWebhook)
    if (observation && 'succeeded' in observation) report.succeeded ||= observation.succeeded
    reports.set(delivery.laneName, report)
  }
  return [...reports.values()]
}

const reportOf = ({ organizationId, webhookId }: LaneKey, average: number, callsPerWebhook: number): LaneReport => ({
  ...{ organizationId, webhookId, succeeded: null },
  ...{ isHealthy: isHealthy(average), maxInFlight: prefetchLimit(average, callsPerWebhook) },
})
