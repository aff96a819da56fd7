/** Which requests begin, and when: how many may be under way for each webhook, for each organization, and in all. */
import { setBounded } from '../../../ground/runtime/bounded-map.ts'
import { createCounter } from '../../../ground/runtime/counter.ts'
import {
  type Concurrency,
  type ConcurrencyLimits,
  halfOf,
  type LaneKey,
  nameOfLane,
  type Observation,
  type ReleaseReason,
  type RequestObservation,
} from '../delivery.ts'
import { isDown, overdueMs } from '../receiver-concurrency.ts'
import { isFast } from '../receiver-health.ts'
import { type BegunRequest, createReceiverRequests, type ReceiverRequests } from './receiver-requests.ts'

export type WaitingRequest = LaneKey & {
  /** As of the claim: whether its receiver is healthy, and how many requests it may have at once. */
  isHealthy: boolean
  concurrency: Concurrency
  /** Whether it is too late to begin it. */
  isLate: () => boolean
  /**
   * Sends the request. `onSeen` is to be called with what was seen of the receiver, if anything, and gives how many requests it may
   * have now. Never rejects.
   */
  run: (onSeen: (observation: RequestObservation) => Concurrency) => Promise<void>
  release: (reason: ReleaseReason, observation?: Observation) => void
  /** It is overdue and counts no more. */
  onSetAside: (concurrency: Concurrency) => void
}

/** `since`: by the running time (`createRunningTime`). */
type Waiting = { request: WaitingRequest; since: number }
type Lane = {
  name: string
  organizationId: string
  isHealthy: boolean
  requests: ReceiverRequests
  waiting: Waiting[]
  leftInTurn: number
  /** When a request began, and when one ended that succeeded within a second. */
  begunAt: number
  answeredAt: number
}
type UnderWay = { lane: Lane; wasHealthy: boolean; begun: BegunRequest; request: WaitingRequest }

/** Requests of a webhook that begin one after the other: so they end, and are settled, together. */
const turnLength = 4
/** What is known of a receiver here is newer for so long than what a claim has read: its last requests may not be settled yet. */
const rememberedMs = 1_000
const maxRemembered = 10_000

/**
 * Begins requests as the limits allow, webhooks in turn. Unhealthy receivers get at most half of the slots together, in all and of
 * an organization: a thousand that are dead or slow leave the other half to the living. Requests that are overdue are set aside, up
 * to half of the slots: those of a receiver that answers others count no more against its own limit, so that few that hang hold up
 * none of the others. What waits here is bounded by `in-flight.ts`.
 */
export function createRequestSlots(limits: ConcurrencyLimits, now: () => number) {
  const lanes = new Map<string, Lane>()
  const running = createCounter()
  const unhealthy = createCounter()
  const setAside = createCounter()
  /** The longest under way first. */
  const underWay = new Set<UnderWay>()
  const remembered = new Map<string, { concurrency: Concurrency; at: number }>()

  /** Whether only a free slot is missing. */
  const mayBegin = (lane: Lane) =>
    lane.waiting.length > 0 && !waitsForReceivers(lane) && running.of(lane.organizationId) < limits.perOrganization

  /** Whether it waits for its own receiver, or for other unhealthy ones. */
  const waitsForReceivers = (lane: Lane) =>
    lane.requests.isFull() || (!lane.isHealthy && !mayBeginUnhealthy(lane.organizationId))

  const mayBeginUnhealthy = (organizationId: string) =>
    unhealthy.total() < halfOf(limits.total) && unhealthy.of(organizationId) < halfOf(limits.perOrganization)

  const begin = async (lane: Lane) => {
    const { request } = lane.waiting.shift() as Waiting
    const { begun, leave } = enter(lane, request)
    lane.leftInTurn -= 1
    let seen: RequestObservation | undefined
    await request.run((observation) => {
      seen = observation
      leave(observation)
      judge(lane, begun, observation)
      return lane.requests.concurrency()
    })
    if (!seen) leave()
    forgetIfEmpty(lane)
    beginAll()
  }

  /** Counts a request that begins, until it is left. */
  const enter = (lane: Lane, request: WaitingRequest) => {
    const { organizationId, isHealthy } = lane
    const counters = isHealthy ? [running] : [running, unhealthy]
    const begun = lane.requests.begin()
    const entry = { lane, wasHealthy: isHealthy, begun, request }
    for (const counter of counters) counter.add(organizationId)
    underWay.add(entry)
    lane.begunAt = begun.since
    const leave = (observation?: RequestObservation) => {
      for (const counter of counters) counter.remove(organizationId)
      if (begun.isSetAside) setAside.remove(organizationId)
      underWay.delete(entry)
      lane.requests.end(begun, observation)
    }
    return { begun, leave }
  }

  /** One slow answer, or a few failures, among others that are prompt do not make a receiver unhealthy. */
  const judge = (lane: Lane, begun: BegunRequest, { succeeded, tookMs }: RequestObservation) => {
    const isPrompt = succeeded && isFast(tookMs)
    if (isPrompt) lane.answeredAt = now()
    lane.isHealthy = isPrompt || (lane.isHealthy && (succeeded ? lane.answeredAt >= begun.since : mayFail(lane)))
  }

  const mayFail = ({ requests }: Lane) => !isDown(requests.concurrency())

  const forgetIfEmpty = (lane: Lane) => {
    if (!lane.requests.isEmpty() || lane.waiting.length > 0) return
    lanes.delete(lane.name)
    setBounded(remembered, lane.name, { concurrency: lane.requests.concurrency(), at: now() }, maxRemembered)
  }

  const mayBeSetAside = (organizationId: string) =>
    setAside.total() < halfOf(limits.total) && setAside.of(organizationId) < halfOf(limits.perOrganization)

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

  /** Its requests hang, but others have begun beside them. */
  const goesOn = ({ requests, begunAt }: Lane, since: number) => requests.hasSetAside() && begunAt > since

  /**
   * Whether more than half of the slots that healthy receivers can have, in all or of an organization, have been taken since `until`:
   * many of them no longer respond.
   */
  const stuckSince = (until: number) => {
    const stuck = createCounter()
    for (const { lane, wasHealthy, begun } of underWay)
      if (wasHealthy && begun.since <= until) stuck.add(lane.organizationId)
    const areStuck = stuck.total() > (limits.total - unhealthy.total()) / 2
    return (organizationId: string) =>
      areStuck || stuck.of(organizationId) > (limits.perOrganization - unhealthy.of(organizationId)) / 2
  }

  const makeLane = ({ organizationId, isHealthy, concurrency }: WaitingRequest, name: string): Lane => {
    const known = remembered.get(name)
    const isNewer = known && now() - known.at < rememberedMs
    const requests = createReceiverRequests(isNewer ? known.concurrency : concurrency, limits.perWebhook, now)
    return {
      ...{ name, organizationId, isHealthy, requests },
      ...{ waiting: [], leftInTurn: turnLength, begunAt: now(), answeredAt: Number.NEGATIVE_INFINITY },
    }
  }

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

    /** Sets aside what is overdue. */
    setAsideOverdue() {
      const until = now() - overdueMs
      for (const { lane, begun, request } of underWay) {
        if (begun.since > until) break
        if (begun.isSetAside || !mayBeSetAside(lane.organizationId)) continue
        lane.requests.setAside(begun)
        setAside.add(lane.organizationId)
        request.onSetAside(lane.requests.concurrency())
      }
      beginAll()
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
        const isInVain = (waitsForReceivers(lane) && !goesOn(lane, until)) || isStuck(lane.organizationId)
        if (isInVain) releaseOf(lane, 'waited_too_long', ({ since }) => since <= until, { waitedMs })
        releaseOf(lane, 'too_late', ({ request }) => request.isLate())
      }
    },
  }
}
