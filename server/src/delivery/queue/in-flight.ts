/**
 * Every delivery that this process has claimed and not settled, by the capacity rule (`capacity.ts`): how many of which receivers and
 * organizations, which of them are overdue, how many more may be claimed, and what was revoked meanwhile. The sender thread knows which
 * of them are sent.
 */

import { timeOf } from '../../ground/runtime/identifiers.ts'
import { type Claimable, createShare, type Share } from './capacity.ts'
import type { ClaimedDelivery, ConcurrencyLimits, DispatcherKind, LaneKey } from './delivery.ts'
import { createLaneUse } from './lane-use.ts'
import { leaseMs } from './lease.ts'

/** The most that one claim takes: of healthy receivers; of degraded and of failing ones, each; and with one publication. */
const maxClaimed = { healthy: 400, unhealthy: 4, published: 32 }
export const maxClaimedOnPublish = maxClaimed.published
/** A claim takes no more than this share of what may still be claimed, so that a few lanes never take it all. */
const claimShare = 1 / 4
/** Publications whose claims are not known yet. */
const maxPublications = 64

const nothing = { limit: 0, excluded: [] }

type Options = {
  limits: ConcurrencyLimits
  /** More of that kind may be claimed. */
  onCapacity: (kind: DispatcherKind) => void
  /** It has lanes again. */
  onBusy: () => void
  utilization: Utilization
}

type Held = Pick<
  ClaimedDelivery,
  'organizationId' | 'webhookId' | 'eventId' | 'rowLocation' | 'isHealthy' | 'isFailing' | 'maxInFlight'
>

type State = ReturnType<typeof openState>

export type InFlight = ReturnType<typeof createInFlight>

export function createInFlight(options: Options) {
  const state = openState(options)
  const { healthy, unhealthy } = state.shares
  const revocations = createRevocations()
  return {
    /** Keeps `allSettled` waiting until the function that it returns is called. */
    enter: () => enter(state),
    /** Counts a delivery, as `weight`, until the function that it returns is called: when it is settled. */
    hold: (delivery: Held, weight = 1) => hold(state, delivery, weight),
    overdue: createOverdue(),
    /** Waits until nothing is in flight or being prepared, no longer than `ms`. */
    allSettled: (ms: number) => allSettled(state, ms),
    /** Nothing may be claimed until it is resumed, and what is claimed or being prepared is released. */
    suspend() {
      state.isSuspended = true
    },
    resume() {
      state.isSuspended = false
    },
    isSuspended: () => state.isSuspended,
    /** A large delivery counts as several. */
    count: () => healthy.total() + unhealthy.total(),
    /** Whether another process should help. */
    isScarce: () => state.isSuspended || isHealthyScarce(state) || Object.values(state.shares).some(isUsedUp),
    /** Deliveries of an organization that may be claimed on publish; none where they are scarce, so that others help. */
    publishLimitOf: (organizationId: string) => publishLimitOf(state, organizationId),
    /** `now`: when it is published. It may claim until the function that it returns is called: when its claim is known. */
    openPublication(now: number) {
      const forget = remember(state, now)
      state.publications += 1
      return () => {
        state.publications -= 1
        forget()
      }
    },
    /** When the first event was published that may be delivered without a row in the queue; infinity when none is. */
    oldestUnqueued: () => Math.min(Infinity, ...Array.from(state.unqueued, ({ at }) => at)),
    lanes: state.lanes,
    claimable: (kind: DispatcherKind) => claimable(state, kind),
    /** `id`: of a webhook or an organization. No request of it begins that was claimed before `now`, by `performance.now()`. */
    revoke: (id: string, now = performance.now()) => revocations.add(id, now),
    /** `since`: from before it was claimed. */
    wasRevoked: ({ webhookId, organizationId }: LaneKey, since: number) =>
      revocations.has(webhookId, since) || revocations.has(organizationId, since),
  }
}

const openState = ({ limits, onCapacity, onBusy, utilization }: Options) => ({
  onCapacity,
  onBusy,
  perWebhook: limits.perWebhook,
  shares: {
    healthy: createShare('healthy', limits),
    unhealthy: createShare('unhealthy', limits),
    degraded: createShare('degraded', limits),
    failing: createShare('failing', limits),
  },
  throttle: createThrottle(() => onCapacity('unhealthy'), utilization),
  lanes: createLaneUse(),
  unqueued: new Set<{ at: number }>(),
  publications: 0,
  /** Deliveries, and claims that are being prepared. */
  count: 0,
  waiting: [] as (() => void)[],
  isSuspended: false,
})

function enter(state: State) {
  state.count += 1
  return () => {
    state.count -= 1
    if (state.count === 0) for (const resolve of state.waiting.splice(0)) resolve()
  }
}

const allSettled = (state: State, ms: number) =>
  new Promise<void>((resolve) => {
    if (state.count === 0) return resolve()
    state.waiting.push(resolve)
    setTimeout(resolve, ms).unref()
  })

function remember(state: State, at: number) {
  const one = { at }
  state.unqueued.add(one)
  return () => void state.unqueued.delete(one)
}

function hold(state: State, delivery: Held, weight: number): () => void {
  const { organizationId, isHealthy, maxInFlight, rowLocation, eventId } = delivery
  const shares = sharesOf(state, delivery)
  const leave = enter(state)
  if (state.lanes.isEmpty()) state.onBusy()
  const leaveLane = state.lanes.add(delivery)
  const forget = rowLocation === null ? remember(state, timeOf(eventId)) : () => {}
  for (const share of shares) share.add(organizationId, weight)
  // A receiver with a larger limit has responded lately, and so has connections.
  if (!isHealthy) state.throttle.pause(maxInFlight === 1)
  return () => {
    const wasFull = shares.some((share) => share.isFull(organizationId))
    for (const share of shares) share.remove(organizationId, weight)
    if (wasFull) state.onCapacity(isHealthy ? 'healthy' : 'unhealthy')
    leaveLane()
    forget()
    leave()
  }
}

const sharesOf = ({ shares }: State, { isHealthy, isFailing }: Held) =>
  isHealthy ? [shares.healthy] : [shares.unhealthy, isFailing ? shares.failing : shares.degraded]

const isHealthyScarce = ({ shares }: State) => shares.healthy.free() < maxClaimed.healthy

const isUsedUp = (share: Share) => share.free() === 0 || share.full().length > 0

const publishLimitOf = (state: State, organizationId: string) =>
  state.isSuspended ||
  state.publications >= maxPublications ||
  state.shares.healthy.isFull(organizationId) ||
  isHealthyScarce(state)
    ? 0
    : maxClaimed.published

function claimable(state: State, kind: DispatcherKind): Claimable {
  const { healthy, unhealthy } = state.shares
  const none = { healthy: nothing, degraded: nothing, failing: nothing, ofNew: ofNew(state) }
  if (state.isSuspended) return none
  if (kind === 'healthy') {
    const limit = Math.min(maxClaimed.healthy, Math.ceil(healthy.free() * claimShare))
    return { ...none, healthy: { limit, excluded: healthy.full() } }
  }
  const half = unhealthy.free() / 2
  return {
    ...none,
    degraded: claimableOf(state, 'degraded', Math.ceil(half)),
    failing: claimableOf(state, 'failing', Math.floor(half)),
  }
}

/** `half`: of what unhealthy receivers have left. The last one is for both classes, which then alternate. */
function claimableOf({ shares, throttle }: State, receivers: 'degraded' | 'failing', half: number) {
  const { [receivers]: share, unhealthy } = shares
  const isPaused = throttle.isPaused() || unhealthy.free() === 0
  return {
    limit: isPaused ? 0 : Math.min(maxClaimed.unhealthy, share.free(), Math.max(1, half)),
    excluded: [...unhealthy.full(), ...share.full()],
  }
}

/**
 * So that one that never answers takes no place from others that are new, it may have several while half of the places are free, and
 * never more than half of them.
 */
const ofNew = ({ shares: { degraded }, perWebhook }: State) => ({
  maxInFlight: degraded.isCrowded() ? 1 : Math.min(perWebhook, degraded.half()),
  crowded: degraded.crowded(),
})

export type Overdue = ReturnType<typeof createOverdue>

/** The deliveries of each lane whose requests are overdue and under way. */
export function createOverdue() {
  const lanes = new Map<string, Set<string>>()
  return {
    add({ laneName, eventId }: ClaimedDelivery) {
      const events = lanes.get(laneName) ?? new Set()
      lanes.set(laneName, events.add(eventId))
    },
    remove({ laneName, eventId }: ClaimedDelivery) {
      const events = lanes.get(laneName)
      events?.delete(eventId)
      if (events?.size === 0) lanes.delete(laneName)
    },
    of: (laneName: string) => lanes.get(laneName)?.size ?? 0,
  }
}

/** Kept for as long as a lease: no request begins of an older claim. */
function createRevocations() {
  /** By the id of a webhook or an organization, the latest last. */
  const times = new Map<string, number>()
  return {
    add(id: string, now: number) {
      times.delete(id)
      times.set(id, now)
      for (const [earlier, at] of times) {
        if (now - at <= leaseMs) break
        times.delete(earlier)
      }
    },
    has: (id: string, since: number) => (times.get(id) ?? Number.NEGATIVE_INFINITY) >= since,
  }
}

/** Between two claims for unhealthy receivers. */
const pauseMs = 20
/** While the sender thread was busy for more than this share of a pause, another pause follows, up to so many. */
const busyShare = 0.4
const maxPauses = 3

/** How busy the sender thread is. */
export type Utilization = typeof performance.eventLoopUtilization

/**
 * The pause between claims for unhealthy receivers. Most of their requests need a new connection, a millisecond and more of the
 * sender thread. A hundred that time out together would be made anew together, and hold up all other requests.
 */
export function createThrottle(onEnd: () => void, utilization: Utilization) {
  let timer: NodeJS.Timeout | undefined
  let isConnecting = false
  const begin = (pausesLeft = maxPauses) => {
    const before = utilization()
    timer = setTimeout(() => {
      if (isConnecting && utilization(before).utilization > busyShare && pausesLeft > 1) return begin(pausesLeft - 1)
      timer = undefined
      isConnecting = false
      onEnd()
    }, pauseMs)
  }
  return {
    /** Begins a pause, unless there is one. `connects`: what was claimed needs a new connection. */
    pause: (connects: boolean) => {
      isConnecting ||= connects
      if (!timer) begin()
    },
    isPaused: () => timer !== undefined,
  }
}
