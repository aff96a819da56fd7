/** What requests show of a receiver: whether it is healthy, and how many of its deliveries may be in flight. */
import { setBounded } from '../../ground/runtime/bounded-map.ts'
import { aheadMs, isDown, isFast, maxOfReceiver, prefetchLimit, requestsAtOnce, slowMs } from './capacity.ts'
import type { ClaimedDelivery, Concurrency, LaneReport, Observation, Settlement } from './delivery.ts'
import type { Overdue } from './in-flight.ts'

/** Receivers that are remembered; the latency of a forgotten one is measured anew. */
const maxRemembered = 10_000
/** Share of the newest request in a receiver's average. */
const newestWeight = 0.2
/** What a request counts in it at most: one that hangs among prompt ones does not make a receiver slow. */
const longestMs = 2 * slowMs

type Latencies = ReturnType<typeof createLatencies>

/** How long receivers take to respond, in milliseconds, as a moving average. */
export function createLatencies() {
  const averages = new Map<string, number>()
  return {
    /** Of answers, for a failure says nothing of them. The time that a delivery waited in vain counts in full: the receiver became slow. */
    note(laneName: string, observation: Observation) {
      const hasWaited = 'waitedMs' in observation
      if (!hasWaited && !observation.succeeded) return
      const ms = hasWaited ? observation.waitedMs : Math.min(observation.tookMs, longestMs)
      const before = averages.get(laneName) ?? ms
      setBounded(averages, laneName, before + (ms - before) * (hasWaited ? 1 : newestWeight), maxRemembered)
    },
    /** Undefined for a receiver that has not answered this process. */
    average: (laneName: string) => averages.get(laneName),
  }
}

/** Nothing is claimed ahead of a receiver of which nothing is known but that half of a second may pass. */
const unknownMs = aheadMs

type Known = { latencies: Latencies; overdue: Overdue; requestsPerWebhook: number }

/** One report for each lane. One success among its settlements is enough: the receiver lives. */
export function reportLanes(settlements: Settlement[], known: Known): LaneReport[] {
  const newest = new Map<string, Settlement>()
  const succeeded = new Map<string, boolean>()
  for (const settlement of settlements) {
    const { delivery, observation, concurrency } = settlement
    const { laneName } = delivery
    if (concurrency || !newest.has(laneName)) newest.set(laneName, settlement)
    if (observation && 'succeeded' in observation)
      succeeded.set(laneName, observation.succeeded || succeeded.get(laneName) === true)
  }
  const unchanged = new Set(newest.keys())
  for (const settlement of settlements)
    if (!isUnqueuedSuccess(settlement)) unchanged.delete(settlement.delivery.laneName)
  return [...newest.values()].map(({ delivery, concurrency = unlimited }) => {
    const report = reportOf(delivery, { concurrency, succeeded: succeeded.get(delivery.laneName) ?? null }, known)
    return { ...report, isNews: !unchanged.has(delivery.laneName) || differs(report, delivery) }
  })
}

/** It leaves neither a count in its lane nor anything to be due there. */
const isUnqueuedSuccess = (settlement: Settlement) =>
  settlement.delivery.rowLocation === null && 'status' in settlement && settlement.status === 'succeeded'

/** From what was claimed on publish: the lane of a healthy receiver. Its limit follows the receiver's pace, and need not be exact. */
const differs = ({ isHealthy, maxRequests, failures, maxInFlight }: LaneReport, claimed: ClaimedDelivery) =>
  !isHealthy ||
  maxRequests !== null ||
  failures > 0 ||
  claimed.concurrency.failures > 0 ||
  claimed.concurrency.maxRequests !== Infinity ||
  maxInFlight > 2 * claimed.maxInFlight ||
  2 * maxInFlight < claimed.maxInFlight

const unlimited: Concurrency = { maxRequests: Infinity, failures: 0 }

/** What is overdue makes room for as many others, up to the most that a receiver may have. */
export function reportOf(
  { organizationId, webhookId, laneName }: ClaimedDelivery,
  { concurrency, succeeded }: { concurrency: Concurrency; succeeded: boolean | null },
  { latencies, overdue, requestsPerWebhook: perWebhook }: Known,
): LaneReport {
  const averageMs = latencies.average(laneName)
  const isPrompt = averageMs === undefined || isFast(averageMs)
  const atOnce = requestsAtOnce(concurrency, perWebhook)
  const ahead = isDown(concurrency) ? 1 : prefetchLimit(averageMs ?? unknownMs, atOnce)
  const hanging = isDown(concurrency) || !isPrompt ? 0 : overdue.of(laneName)
  const room = hanging < maxOfReceiver({ perWebhook }) ? ahead : 0
  return {
    organizationId,
    webhookId,
    succeeded,
    isHealthy: isPrompt,
    isDown: isDown(concurrency),
    maxInFlight: hanging + room,
    refillAt: hanging + Math.floor(room / 2),
    requestsAtOnce: atOnce,
    maxRequests: concurrency.maxRequests < perWebhook ? concurrency.maxRequests : null,
    failures: concurrency.failures,
    isNews: true,
  }
}
