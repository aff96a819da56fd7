/**
 * Every delivery that this process has claimed and not settled: how many of which receivers and organizations, how many more may
 * be claimed, and what was revoked meanwhile.
 */
import { createCounter } from '../../ground/runtime/counter.ts'
import {
  type Claimable,
  type ClaimedDelivery,
  type ConcurrencyLimits,
  type DispatcherKind,
  halfOf,
  type LaneKey,
} from './delivery.ts'
import { leaseMs } from './lease-time.ts'

/** The most that one claim takes: of healthy receivers; of degraded and of failing ones, each; and with one publication. */
const maxClaimed = { healthy: 400, unhealthy: 4, published: 32 }
/** Deliveries to healthy receivers that may wait for the requests before them, in all and of one organization. */
const maxWaiting = 4_000
const maxWaitingOfOrganization = 2_000
/** A claim takes no more than this share of what may still be claimed, so that a few lanes never take it all. */
const claimShare = 1 / 4

const nothing = { limit: 0, excluded: [] }

type Options = {
  limits: ConcurrencyLimits
  /** More of that kind may be claimed. */
  onCapacity: (kind: DispatcherKind) => void
  utilization: Utilization
}

type Held = Pick<ClaimedDelivery, 'organizationId' | 'isHealthy' | 'isFailing' | 'maxInFlight'>

export type InFlight = ReturnType<typeof createInFlight>

/**
 * Healthy receivers may have as many deliveries here as requests, and a number that waits to follow them; unhealthy ones half of
 * the requests, and none that waits. Of that half failing receivers get three quarters at most, and so do degraded ones: else a new
 * receiver would wait until requests to dead ones time out, or slow ones would leave nothing to those that come back. The same
 * holds within each organization.
 */
export function createInFlight({ limits: { perWebhook, total, perOrganization }, onCapacity, utilization }: Options) {
  const healthy = createShare(total + maxWaiting, perOrganization + maxWaitingOfOrganization)
  const unhealthy = createShare(halfOf(total), halfOf(perOrganization))
  const degraded = createShare(threeQuartersOfHalf(total), threeQuartersOfHalf(perOrganization))
  const failing = createShare(threeQuartersOfHalf(total), threeQuartersOfHalf(perOrganization))
  const revocations = createRevocations()
  const throttle = createThrottle(() => onCapacity('unhealthy'), utilization)
  const waiting: (() => void)[] = []
  let count = 0
  let isSuspended = false

  const sharesOf = ({ isHealthy, isFailing }: Held) =>
    isHealthy ? [healthy] : [unhealthy, isFailing ? failing : degraded]

  /** Keeps `allSettled` waiting until the function that it returns is called. */
  const enter = () => {
    count += 1
    return () => {
      count -= 1
      if (count === 0) for (const resolve of waiting.splice(0)) resolve()
    }
  }

  const isHealthyScarce = () => healthy.free() < maxClaimed.healthy
  const healthyLimit = () => Math.min(maxClaimed.healthy, Math.ceil(healthy.free() * claimShare))
  /** `half`: of what unhealthy receivers have left. The last one is for both classes, whose requests then take turns. */
  const claimableOf = (share: Share, half: number) => ({
    limit:
      throttle.isPaused() || unhealthy.free() === 0
        ? 0
        : Math.min(maxClaimed.unhealthy, share.free(), Math.max(1, half)),
    excluded: [...unhealthy.full(), ...share.full()],
  })

  /**
   * So that one that never answers takes no place from others that are new, it may have several while half of the places are free, and
   * never more than half of them.
   */
  const ofNew = () => ({
    maxInFlight: degraded.isCrowded() ? 1 : Math.min(perWebhook, degraded.half()),
    crowded: degraded.crowded(),
  })

  return {
    enter,

    /** Counts a delivery, as `weight`, until the function that it returns is called: when it is settled. */
    hold(delivery: Held, weight = 1): () => void {
      const { organizationId, isHealthy, maxInFlight } = delivery
      const shares = sharesOf(delivery)
      const leave = enter()
      for (const share of shares) share.add(organizationId, weight)
      // A receiver with a larger limit has responded lately, and so has connections.
      if (!isHealthy) throttle.pause(maxInFlight === 1)
      return () => {
        const wasFull = shares.some((share) => share.isFull(organizationId))
        for (const share of shares) share.remove(organizationId, weight)
        if (wasFull) onCapacity(isHealthy ? 'healthy' : 'unhealthy')
        leave()
      }
    },

    /** Waits until nothing is in flight or being prepared, no longer than `ms`. */
    allSettled: (ms: number) =>
      new Promise<void>((resolve) => {
        if (count === 0) return resolve()
        waiting.push(resolve)
        setTimeout(resolve, ms).unref()
      }),

    /** Nothing may be claimed until it is resumed; what is claimed counts all the same. */
    suspend() {
      isSuspended = true
    },
    resume() {
      isSuspended = false
    },

    /** A large delivery counts as several. */
    count: () => healthy.total() + unhealthy.total(),

    /** Whether another process should help. */
    isScarce: () =>
      isSuspended ||
      isHealthyScarce() ||
      [unhealthy, degraded, failing].some((share) => share.free() === 0) ||
      [healthy, unhealthy, degraded, failing].some((share) => share.full().length > 0),

    /** Deliveries of an organization that may be claimed on publish; none where they are scarce, so that others help. */
    publishLimitOf: (organizationId: string) =>
      isSuspended || healthy.isFull(organizationId) || isHealthyScarce() ? 0 : maxClaimed.published,

    claimable(kind: DispatcherKind): Claimable {
      const none = { healthy: nothing, degraded: nothing, failing: nothing, ofNew: ofNew() }
      if (isSuspended) return none
      if (kind === 'healthy') return { ...none, healthy: { limit: healthyLimit(), excluded: healthy.full() } }
      const half = unhealthy.free() / 2
      return {
        ...none,
        degraded: claimableOf(degraded, Math.ceil(half)),
        failing: claimableOf(failing, Math.floor(half)),
      }
    },

    /** `id`: of a webhook or an organization. No request of it begins that was claimed before `now`, by `performance.now()`. */
    revoke: (id: string, now = performance.now()) => revocations.add(id, now),
    /** `since`: from before it was claimed. */
    wasRevoked: ({ webhookId, organizationId }: LaneKey, since: number) =>
      revocations.has(webhookId, since) || revocations.has(organizationId, since),
  }
}

const threeQuartersOfHalf = (limit: number) => Math.max(1, Math.floor((halfOf(limit) * 3) / 4))

type Share = ReturnType<typeof createShare>

function createShare(limit: number, limitOfOrganization: number) {
  const counter = createCounter()
  return {
    ...counter,
    free: () => Math.max(0, limit - counter.total()),
    isFull: (organizationId: string) => counter.total() >= limit || counter.of(organizationId) >= limitOfOrganization,
    /** Organizations at their limit. */
    full: () => counter.from(limitOfOrganization),
    /** Of what an organization may have. */
    half: () => Math.max(1, Math.floor(Math.min(limit, limitOfOrganization) / 2)),
    /** More than half is taken, of all and of an organization's. */
    isCrowded: () => counter.total() > limit / 2,
    crowded: () => counter.from(limitOfOrganization / 2),
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
