/** Concurrency limits: which calls begin, and when, for each webhook, for each organization, and in all. */
import { createTally } from '../../runtime/counter.ts'
import {
  type ConcurrencyLimits,
  halfOf,
  type LaneKey,
  nameOfLane,
  type Observation,
  type ReleaseReason,
  type RequestObservation,
} from '../delivery.ts'
import { isHealthy } from '../receiver-health.ts'

export type WaitingRequest = LaneKey & {
  /** As of the claim: whether its receiver is healthy, and how many deliveries of its lane may be in flight at once. */
  isHealthy: boolean
  maxInFlight: number
  /** Whether it is too late to begin it: it would only be released. */
  isLate: () => boolean
  /** Makes the call and gives what was seen of the receiver, if anything. Never rejects. */
  run: () => Promise<RequestObservation | undefined>
  /** It will not be called after all. */
  release: (reason: ReleaseReason, observation?: Observation) => void
}

/** `since`: by the running time (`createRunningTime`). */
type Waiting = { call: WaitingRequest; since: number }
type Lane = {
  name: string
  organizationId: string
  isHealthy: boolean
  maxInFlight: number
  calls: number
  waiting: Waiting[]
  leftInTurn: number
}

/**
 * Calls of a webhook that begin one after the other: so they end, and are settled, together. With hundreds of webhooks a tenth
 * less work of both processes (measured).
 */
const callsInTurn = 4

/**
 * Begins calls as the caps allow, webhooks in turn, a few calls each. Receivers that are not healthy get at most half of the
 * slots together, in all and of an organization: a thousand that are dead or slow leave the other half to the living. One
 * whose last call did not succeed gets one call at a time.
 *
 * What waits here is bounded by whoever adds (`in-flight.ts`).
 */
export function createRequestSlots(caps: ConcurrencyLimits, now: () => number) {
  const lanes = new Map<string, Lane>()
  const calls = createTally()
  const unhealthy = createTally()
  /** Of receivers that were healthy when they began, by when that was. */
  const healthyRequests = new Set<{ organizationId: string; since: number }>()

  /** As soon as a slot is free. */
  const mayBegin = (lane: Lane) =>
    lane.waiting.length > 0 && !waitsForReceivers(lane) && calls.of(lane.organizationId) < caps.perOrganization

  /** What waits of it waits for its own receiver, or for others that are not healthy. */
  const waitsForReceivers = (lane: Lane) => isFull(lane) || (!lane.isHealthy && !mayBeginUnhealthy(lane.organizationId))

  const isFull = ({ calls: own, maxInFlight }: Lane) => own >= Math.min(maxInFlight, caps.perWebhook)

  const mayBeginUnhealthy = (organizationId: string) =>
    unhealthy.inAll() < halfOf(caps.inAll) && unhealthy.of(organizationId) < halfOf(caps.perOrganization)

  const begin = async (lane: Lane) => {
    const { call } = lane.waiting.shift() as Waiting
    const leave = enter(lane)
    lane.leftInTurn -= 1
    const observation = await call.run()
    leave()
    if (observation) judge(lane, observation)
    forgetIfEmpty(lane)
    beginAll()
  }

  /** Counts a call that begins, until it leaves. */
  const enter = (lane: Lane) => {
    const { organizationId, isHealthy } = lane
    const tallies = isHealthy ? [calls] : [calls, unhealthy]
    const begun = { organizationId, since: now() }
    for (const tally of tallies) tally.add(organizationId)
    if (isHealthy) healthyRequests.add(begun)
    lane.calls += 1
    return () => {
      for (const tally of tallies) tally.remove(organizationId)
      healthyRequests.delete(begun)
      lane.calls -= 1
    }
  }

  const judge = (lane: Lane, { succeeded, tookMs }: RequestObservation) => {
    lane.isHealthy = succeeded && isHealthy(tookMs)
    lane.maxInFlight = succeeded ? caps.perWebhook : 1
  }

  const forgetIfEmpty = (lane: Lane) => {
    if (lane.calls === 0 && lane.waiting.length === 0) lanes.delete(lane.name)
  }

  /**
   * A turn goes on with the next free slot, and ends early when the lane has no call left or may begin none. Then the lane
   * goes to the end and is met again: the loop ends when the slots are taken or no lane may begin a call.
   */
  const beginAll = () => {
    for (const lane of lanes.values()) {
      while (lane.leftInTurn > 0 && mayBegin(lane)) {
        if (calls.inAll() >= caps.inAll) return
        void begin(lane)
      }
      if (lane.leftInTurn < callsInTurn) endTurn(lane)
    }
  }

  const endTurn = (lane: Lane) => {
    lane.leftInTurn = callsInTurn
    lanes.delete(lane.name)
    lanes.set(lane.name, lane)
  }

  /** What was `seen` of its receiver goes with them. */
  const releaseOf = (
    lane: Lane,
    reason: ReleaseReason,
    isMeant: (waiting: Waiting) => boolean,
    observation?: Observation,
  ) => {
    const goes = lane.waiting.filter(isMeant)
    lane.waiting = lane.waiting.filter((each) => !isMeant(each))
    for (const { call } of goes) call.release(reason, observation)
    forgetIfEmpty(lane)
  }

  /**
   * Whether more than half of the slots that healthy receivers can have, in all or of an organization, have been taken since then:
   * many of them have stopped to answer.
   */
  const stuckSince = (until: number) => {
    const stuck = createTally()
    for (const { organizationId, since } of healthyRequests) if (since <= until) stuck.add(organizationId)
    const areStuck = stuck.inAll() > (caps.inAll - unhealthy.inAll()) / 2
    return (organizationId: string) =>
      areStuck || stuck.of(organizationId) > (caps.perOrganization - unhealthy.of(organizationId)) / 2
  }

  const makeLane = ({ organizationId, isHealthy, maxInFlight }: WaitingRequest, name: string): Lane => ({
    ...{ name, organizationId, isHealthy, maxInFlight },
    ...{ calls: 0, waiting: [], leftInTurn: callsInTurn },
  })

  return {
    add(added: WaitingRequest[]) {
      const since = now()
      for (const call of added) {
        const name = nameOfLane(call)
        const lane = lanes.get(name) ?? makeLane(call, name)
        // A claim may know that the receiver became slow; here only the end of a call shows it. None makes a lane healthy again.
        lane.isHealthy &&= call.isHealthy
        lane.waiting.push({ call, since })
        lanes.set(name, lane)
      }
      beginAll()
    },

    release(reason: ReleaseReason, isMeant: (call: WaitingRequest) => boolean) {
      for (const lane of lanes.values()) releaseOf(lane, reason, ({ call }) => isMeant(call))
    },

    /**
     * Releases what is too late, and as of a slow receiver what has waited for so long for its own receiver, or for others
     * that are not healthy. What waits for a slot alone, or for its organization's share, stays: neither a busy process nor an
     * organization that delivers much makes a receiver slow. But when those slots are held by receivers that were healthy and do
     * not answer, it goes as well, so that no more of them come as healthy ones.
     */
    releaseSlow(waitedMs: number) {
      const until = now() - waitedMs
      const isStuck = stuckSince(until)
      for (const lane of lanes.values()) {
        const isInVain = waitsForReceivers(lane) || isStuck(lane.organizationId)
        if (isInVain) releaseOf(lane, 'waited_too_long', ({ since }) => since <= until, { waitedMs })
        releaseOf(lane, 'too_late', ({ call }) => call.isLate())
      }
    },
  }
}

/** A busy thread ticks so late at times; what is longer is a stall. */
const lateMs = 50

/**
 * Time as a thread lives it, in milliseconds. Of a stall (its process is stopped, its machine paused or busy with others) no
 * more than `everyMs` and a little count: nobody became slow meanwhile. Somebody ticks it every `everyMs`.
 */
export function createRunningTime(everyMs: number) {
  let ticked = { ran: 0, at: performance.now() }
  const now = () => ticked.ran + Math.min(performance.now() - ticked.at, everyMs + lateMs)
  return {
    now,
    tick() {
      ticked = { ran: now(), at: performance.now() }
    },
  }
}
