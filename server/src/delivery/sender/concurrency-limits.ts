/** Which requests begin, and when: how many may be under way for each webhook, for each organization, and in all. */
import { createCounter } from '../../runtime/counter.ts'
import {
  type ConcurrencyLimits,
  halfOf,
  type LaneKey,
  nameOfLane,
  type Observation,
  type ReleaseReason,
  type RequestObservation,
} from '../delivery.ts'
import { isFast } from '../receiver-health.ts'

export type WaitingRequest = LaneKey & {
  /** As of the claim: whether its receiver is healthy, and how many deliveries of its lane may be in flight at once. */
  isHealthy: boolean
  maxInFlight: number
  /** Whether it is too late to begin it. */
  isLate: () => boolean
  /** Sends the request and returns what was seen of the receiver, if anything. Never rejects. */
  run: () => Promise<RequestObservation | undefined>
  release: (reason: ReleaseReason, observation?: Observation) => void
}

/** `since`: by the running time (`createRunningTime`). */
type Waiting = { request: WaitingRequest; since: number }
type Lane = {
  name: string
  organizationId: string
  isHealthy: boolean
  maxInFlight: number
  running: number
  waiting: Waiting[]
  leftInTurn: number
}

/** Requests of a webhook that begin one after the other: so they end, and are settled, together. */
const turnLength = 4

/**
 * Begins requests as the limits allow, webhooks in turn. Unhealthy receivers get at most half of the slots together, in all and of
 * an organization: a thousand that are dead or slow leave the other half to the living. A receiver whose last request failed gets
 * one request at a time. What waits here is bounded by `in-flight.ts`.
 */
export function createRequestSlots(limits: ConcurrencyLimits, now: () => number) {
  const lanes = new Map<string, Lane>()
  const running = createCounter()
  const unhealthy = createCounter()
  /** Requests to receivers that were healthy when they began, by when that was. */
  const healthyRequests = new Set<{ organizationId: string; since: number }>()

  /** Whether only a free slot is missing. */
  const mayBegin = (lane: Lane) =>
    lane.waiting.length > 0 && !waitsForReceivers(lane) && running.of(lane.organizationId) < limits.perOrganization

  /** Whether it waits for its own receiver, or for other unhealthy ones. */
  const waitsForReceivers = (lane: Lane) => isFull(lane) || (!lane.isHealthy && !mayBeginUnhealthy(lane.organizationId))

  const isFull = (lane: Lane) => lane.running >= Math.min(lane.maxInFlight, limits.perWebhook)

  const mayBeginUnhealthy = (organizationId: string) =>
    unhealthy.total() < halfOf(limits.total) && unhealthy.of(organizationId) < halfOf(limits.perOrganization)

  const begin = async (lane: Lane) => {
    const { request } = lane.waiting.shift() as Waiting
    const leave = enter(lane)
    lane.leftInTurn -= 1
    const observation = await request.run()
    leave()
    if (observation) judge(lane, observation)
    forgetIfEmpty(lane)
    beginAll()
  }

  /** Counts a request that begins, until the function that it returns is called. */
  const enter = (lane: Lane) => {
    const { organizationId, isHealthy } = lane
    const counters = isHealthy ? [running] : [running, unhealthy]
    const begun = { organizationId, since: now() }
    for (const counter of counters) counter.add(organizationId)
    if (isHealthy) healthyRequests.add(begun)
    lane.running += 1
    return () => {
      for (const counter of counters) counter.remove(organizationId)
      healthyRequests.delete(begun)
      lane.running -= 1
    }
  }

  const judge = (lane: Lane, { succeeded, tookMs }: RequestObservation) => {
    lane.isHealthy = succeeded && isFast(tookMs)
    lane.maxInFlight = succeeded ? limits.perWebhook : 1
  }

  const forgetIfEmpty = (lane: Lane) => {
    if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(lane.name)
  }

  /**
   * A turn goes on with the next free slot, and ends early when no request of the lane waits or may begin. Then the lane goes to the
   * end and is met again: the loop ends when the slots are taken or no lane may begin a request.
   */
  const beginAll = () => {
    for (const lane of lanes.values()) {
      while (lane.leftInTurn > 0 && mayBegin(lane)) {
        if (running.total() >= limits.total) return
        void begin(lane)
      }
      if (lane.leftInTurn < turnLength) endTurn(lane)
    }
  }

  const endTurn = (lane: Lane) => {
    lane.leftInTurn = turnLength
    lanes.delete(lane.name)
    lanes.set(lane.name, lane)
  }

  const releaseOf = (
    lane: Lane,
    reason: ReleaseReason,
    isMeant: (waiting: Waiting) => boolean,
    observation?: Observation,
  ) => {
    const released = lane.waiting.filter(isMeant)
    lane.waiting = lane.waiting.filter((each) => !isMeant(each))
    for (const { request } of released) request.release(reason, observation)
    forgetIfEmpty(lane)
  }

  /**
   * Whether more than half of the slots that healthy receivers can have, in all or of an organization, have been taken since `until`:
   * many of them no longer respond.
   */
  const stuckSince = (until: number) => {
    const stuck = createCounter()
    for (const { organizationId, since } of healthyRequests) if (since <= until) stuck.add(organizationId)
    const areStuck = stuck.total() > (limits.total - unhealthy.total()) / 2
    return (organizationId: string) =>
      areStuck || stuck.of(organizationId) > (limits.perOrganization - unhealthy.of(organizationId)) / 2
  }

  const makeLane = ({ organizationId, isHealthy, maxInFlight }: WaitingRequest, name: string): Lane => ({
    ...{ name, organizationId, isHealthy, maxInFlight },
    ...{ running: 0, waiting: [], leftInTurn: turnLength },
  })

  return {
    add(requests: WaitingRequest[]) {
      const since = now()
      for (const request of requests) {
        const name = nameOfLane(request)
        const lane = lanes.get(name) ?? makeLane(request, name)
        // A claim may know that the receiver became slow. Only the end of a request makes a lane healthy again.
        lane.isHealthy &&= request.isHealthy
        lane.waiting.push({ request, since })
        lanes.set(name, lane)
      }
      beginAll()
    },

    release(reason: ReleaseReason, isMeant: (request: WaitingRequest) => boolean) {
      for (const lane of lanes.values()) releaseOf(lane, reason, ({ request }) => isMeant(request))
    },

    /**
     * Releases what is too late; and, as to a slow receiver, what has waited so long for its own receiver or for other unhealthy
     * ones. What waits only for a free slot, or for its organization's share, stays: neither a busy process nor an organization that
     * delivers much makes a receiver slow. It goes as well when those slots are held by receivers that were healthy and no longer
     * respond, so that no more of them are claimed as healthy ones.
     */
    releaseSlow(waitedMs: number) {
      const until = now() - waitedMs
      const isStuck = stuckSince(until)
      for (const lane of lanes.values()) {
        const isInVain = waitsForReceivers(lane) || isStuck(lane.organizationId)
        if (isInVain) releaseOf(lane, 'waited_too_long', ({ since }) => since <= until, { waitedMs })
        releaseOf(lane, 'too_late', ({ request }) => request.isLate())
      }
    },
  }
}
