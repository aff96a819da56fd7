/** Which requests begin, and when, by the capacity rule: how many may be under way for each webhook, for each organization, and in all. */
import { setBounded } from '../../../ground/runtime/bounded-map.ts'
import { createCounter } from '../../../ground/runtime/counter.ts'
import {
  createShare,
  downAfter,
  isDown,
  isFast,
  judged,
  maxOfReceiver,
  overdueMs,
  requestsAtOnce,
} from '../capacity.ts'
import {
  type Concurrency,
  type ConcurrencyLimits,
  type LaneKey,
  nameOfLane,
  type Observation,
  type ReleaseReason,
  type RequestObservation,
} from '../delivery.ts'

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

type Lane = ReturnType<typeof makeLane>
type Begun = ReturnType<typeof makeBegun>
/** Of a request that has begun, what tells whether its receiver answers. */
type Tried = { since: number; hasEnded: boolean; hasSucceeded: boolean }
type State = ReturnType<typeof openState>

/** Requests of a webhook that begin one after the other: so they end, and are settled, together. */
const quantum = 4
/** A request that has run for so long without an answer is an attempt that did not succeed, as far as one can tell. */
const tellingMs = 250
/** What is known of a receiver here is newer for so long than what a claim has read: its last requests may not be settled yet. */
const rememberedMs = 1_000
const maxRemembered = 10_000

/**
 * Begins requests as the limits allow, webhooks by round robin. Requests that are overdue are set aside: those of a receiver that
 * answers others count no more against its own limit, so that few that hang delay none of the others. What waits here is bounded by
 * `in-flight.ts`.
 */
export function createRequestSlots(limits: ConcurrencyLimits, now: () => number) {
  const state = openState(limits, now)
  return {
    add: (requests: WaitingRequest[]) => add(state, requests),
    release(reason: ReleaseReason, isMeant: (request: WaitingRequest) => boolean) {
      for (const lane of state.lanes.values()) releaseOf(state, lane, reason, ({ request }) => isMeant(request))
    },
    /** Sets aside what is overdue. */
    setAsideOverdue: () => setAsideOverdue(state),
    releaseSlow: (waitedMs: number) => releaseSlow(state, waitedMs),
  }
}

const openState = (limits: ConcurrencyLimits, now: () => number) => ({
  limits,
  now,
  lanes: new Map<string, Lane>(),
  requests: createShare('requests', limits),
  unhealthy: createShare('unhealthy', limits),
  setAside: createShare('setAside', limits),
  /** The longest under way first. */
  underWay: new Map<Begun, WaitingRequest>(),
  remembered: new Map<string, { concurrency: Concurrency; at: number }>(),
})

function add(state: State, requests: WaitingRequest[]) {
  const since = state.now()
  for (const request of requests) {
    const name = nameOfLane(request)
    const lane = state.lanes.get(name) ?? openLane(state, request, name)
    // A claim may know that the receiver became slow. Only the end of a request makes a lane healthy again.
    lane.isHealthy &&= request.isHealthy
    lane.waiting.push({ request, since })
  }
  beginAll(state)
}

function openLane({ lanes, remembered, now }: State, request: WaitingRequest, name: string): Lane {
  const known = remembered.get(name)
  const concurrency = known && now() - known.at < rememberedMs ? known.concurrency : request.concurrency
  const lane = makeLane(name, request, concurrency, now())
  lanes.set(name, lane)
  return lane
}

const makeLane = (name: string, request: WaitingRequest, concurrency: Concurrency, begunAt: number) => ({
  name,
  organizationId: request.organizationId,
  isHealthy: request.isHealthy,
  waiting: [] as Waiting[],
  /** Requests that it may begin before the next lane. */
  quantumLeft: quantum,
  /** When a request began, and when one ended that succeeded within a second. */
  begunAt,
  answeredAt: Number.NEGATIVE_INFINITY,
  concurrency,
  /** Before the first of its requests here, as far as the claim knew. */
  failuresBefore: concurrency.failures,
  /** The last that have begun, the newest last: enough for the last five that tell something. */
  last: [] as Tried[],
  running: 0,
  setAside: 0,
  begun: 0,
  /** Failures of requests up to this one are counted in its limit already. */
  halvedUpTo: 0,
})

function closeIfEmpty({ lanes, remembered, now }: State, { name, concurrency, running, waiting }: Lane) {
  if (running > 0 || waiting.length > 0) return
  lanes.delete(name)
  setBounded(remembered, name, { concurrency, at: now() }, maxRemembered)
}

/**
 * A lane goes on with the next free slot until its quantum is used, or no request of it waits or may begin. Then it goes to the end
 * and is met again: the loop ends when the slots are taken or no lane may begin a request.
 */
function beginAll(state: State) {
  const { lanes, requests } = state
  for (const lane of lanes.values()) {
    while (lane.quantumLeft > 0 && mayBegin(state, lane)) {
      if (requests.free() === 0) return
      void begin(state, lane)
    }
    if (lane.quantumLeft === quantum) continue
    lane.quantumLeft = quantum
    lanes.delete(lane.name)
    lanes.set(lane.name, lane)
  }
}

/** Whether only a free slot is missing. */
const mayBegin = (state: State, lane: Lane) =>
  lane.waiting.length > 0 && !waitsForReceivers(state, lane) && !state.requests.isFullOf(lane.organizationId)

/** Whether it waits for its own receiver, or for other unhealthy ones. */
const waitsForReceivers = (state: State, lane: Lane) =>
  isReceiverFull(state, lane) || (!lane.isHealthy && state.unhealthy.isFull(lane.organizationId))

function isReceiverFull(state: State, lane: Lane) {
  const { limits } = state
  const answersOthers = lane.setAside > 0 && !isDown(lane.concurrency) && isAnswering(state, lane)
  const counted = answersOthers ? lane.running - lane.setAside : lane.running
  return lane.running >= maxOfReceiver(limits) || counted >= requestsAtOnce(lane.concurrency, limits.perWebhook)
}

/** Whether one of the last five attempts succeeded; a claim may know of failures before. If not, all count: it hangs at everything. */
function isAnswering({ now }: State, { last, failuresBefore }: Lane) {
  const told = last.filter(({ hasEnded, since }) => hasEnded || now() - since >= tellingMs).slice(-downAfter)
  return told.some(({ hasSucceeded }) => hasSucceeded) || failuresBefore + told.length < downAfter
}

async function begin(state: State, lane: Lane) {
  const { request } = lane.waiting.shift() as Waiting
  const entry = enter(state, lane, request)
  lane.quantumLeft -= 1
  await request.run((observation) => {
    leave(state, entry, observation)
    judgeReceiver(state, entry, observation)
    return lane.concurrency
  })
  if (!entry.hasEnded) leave(state, entry)
  closeIfEmpty(state, lane)
  beginAll(state)
}

/** Counts a request that begins, until it is left. */
function enter(state: State, lane: Lane, request: WaitingRequest): Begun {
  const { requests, unhealthy, underWay, limits, now } = state
  lane.begun += 1
  lane.running += 1
  lane.begunAt = now()
  const entry = makeBegun(lane)
  requests.add(lane.organizationId)
  if (!entry.wasHealthy) unhealthy.add(lane.organizationId)
  underWay.set(entry, request)
  lane.last.push(entry)
  if (lane.last.length > maxOfReceiver(limits) + downAfter) lane.last.shift()
  return entry
}

const makeBegun = (lane: Lane) => ({
  lane,
  number: lane.begun,
  since: lane.begunAt,
  wasHealthy: lane.isHealthy,
  /** It is overdue, and counts no more as long as the receiver answers others. */
  isSetAside: false,
  hasEnded: false,
  hasSucceeded: false,
})

/** Without an observation it was no attempt. */
function leave(state: State, entry: Begun, observation?: RequestObservation) {
  const { lane } = entry
  state.requests.remove(lane.organizationId)
  if (!entry.wasHealthy) state.unhealthy.remove(lane.organizationId)
  if (entry.isSetAside) {
    state.setAside.remove(lane.organizationId)
    lane.setAside -= 1
  }
  state.underWay.delete(entry)
  lane.running -= 1
  entry.hasEnded = true
  entry.hasSucceeded = observation?.succeeded ?? false
  if (!observation) lane.last = lane.last.filter((each) => each !== entry)
}

/** One slow answer, or a few failures, among others that are prompt do not make a receiver unhealthy. */
function judgeReceiver({ limits, now }: State, { lane, number, since }: Begun, observation: RequestObservation) {
  const { succeeded, tookMs } = observation
  const isFirst = number > lane.halvedUpTo
  lane.concurrency = judged(lane.concurrency, { succeeded, isFirst }, limits.perWebhook)
  if (!succeeded && isFirst) lane.halvedUpTo = lane.begun
  const isPrompt = succeeded && isFast(tookMs)
  if (isPrompt) lane.answeredAt = now()
  lane.isHealthy = isPrompt || (lane.isHealthy && (succeeded ? lane.answeredAt >= since : !isDown(lane.concurrency)))
}

function setAsideOverdue(state: State) {
  const until = state.now() - overdueMs
  for (const [entry, request] of state.underWay) {
    const { lane, since } = entry
    if (since > until) break
    if (entry.isSetAside || state.setAside.isFull(lane.organizationId)) continue
    entry.isSetAside = true
    lane.setAside += 1
    state.setAside.add(lane.organizationId)
    request.onSetAside(lane.concurrency)
  }
  beginAll(state)
}

function releaseOf(
  state: State,
  lane: Lane,
  reason: ReleaseReason,
  isMeant: (waiting: Waiting) => boolean,
  observation?: Observation,
) {
  const released = lane.waiting.filter(isMeant)
  lane.waiting = lane.waiting.filter((each) => !isMeant(each))
  for (const { request } of released) request.release(reason, observation)
  closeIfEmpty(state, lane)
}

/**
 * Releases what is too late; and, as to a slow receiver, what has waited so long for its own receiver or for other unhealthy
 * ones. What waits only for a free slot, or for its organization's share, stays: neither a busy process nor an organization that
 * delivers much makes a receiver slow. It goes as well when those slots are held by receivers that were healthy and no longer
 * respond, so that no more of them are claimed as healthy ones.
 */
function releaseSlow(state: State, waitedMs: number) {
  const until = state.now() - waitedMs
  const isStuck = stuckSince(state, until)
  for (const lane of state.lanes.values()) {
    const isInVain = (waitsForReceivers(state, lane) && !goesOn(lane, until)) || isStuck(lane.organizationId)
    if (isInVain) releaseOf(state, lane, 'waited_too_long', ({ since }) => since <= until, { waitedMs })
    releaseOf(state, lane, 'too_late', ({ request }) => request.isLate())
  }
}

/** Its requests hang, but others have begun beside them. */
const goesOn = ({ setAside, begunAt }: Lane, since: number) => setAside > 0 && begunAt > since

/**
 * Whether more than half of the slots that healthy receivers can have, in all or of an organization, have been taken since `until`:
 * many of them no longer respond.
 */
function stuckSince({ underWay, limits, unhealthy }: State, until: number) {
  const stuck = createCounter()
  for (const { lane, wasHealthy, since } of underWay.keys())
    if (wasHealthy && since <= until) stuck.add(lane.organizationId)
  const areStuck = stuck.total() > (limits.total - unhealthy.total()) / 2
  return (organizationId: string) =>
    areStuck || stuck.of(organizationId) > (limits.perOrganization - unhealthy.of(organizationId)) / 2
}
