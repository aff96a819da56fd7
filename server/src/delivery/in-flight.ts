/**
 * Every delivery that this process has claimed and not settled: how many of which receivers and organizations, how many more may
 * be claimed, and what was revoked meanwhile.
 */
import { createTally } from '../runtime/counter.ts'
import {
  type Claimable,
  type ClaimedDelivery,
  type ConcurrencyLimits,
  halfOf,
  type Kind,
  type LaneKey,
  leaseMs,
} from './delivery.ts'

/**
 * The most that one claim takes: of healthy receivers; of failing ones and of the others, each; and with one publication. Larger
 * publications are left to an ordinary claim: 50 events a call from 4 callers had 0.92 and 0.97 times the rate when claimed as
 * published (measured).
 */
const maxClaimed = { healthy: 400, unhealthy: 4, published: 32 }
/** Of healthy receivers, what may wait for the calls before it, in all and of one organization. */
const maxWaiting = 4_000
const maxWaitingOfOrganization = 2_000
/** A claim takes no more than this share of what may still be claimed, so that a few lanes never take it all. */
const claimShare = 1 / 4

const nothing = { limit: 0, excluded: [] }

type Given = {
  caps: ConcurrencyLimits
  /** More of that kind may be claimed. */
  onRoom: (kind: Kind) => void
  /** Of the thread that calls. */
  utilization: Utilization
}

type Counted = Pick<ClaimedDelivery, 'organizationId' | 'isHealthy' | 'isFailing' | 'maxInFlight'>

export type InFlight = ReturnType<typeof createInFlight>

/**
 * Of healthy receivers the calls may be claimed that may be under way and a number that waits to follow them; of all that are not,
 * half of the calls, and none that waits. Of that half those that have failed for a while get three quarters at most, and so do
 * the others (new ones, slow ones, those that failed just now): else one would wait until those that never answer have timed
 * out, or the other until slow ones have nothing left. The same holds for each organization.
 */
export function createInFlight({ caps: { inAll, perOrganization }, onRoom, utilization }: Given) {
  const healthy = createShare(inAll + maxWaiting, perOrganization + maxWaitingOfOrganization)
  const unhealthy = createShare(halfOf(inAll), halfOf(perOrganization))
  const degraded = createShare(mostOfHalf(inAll), mostOfHalf(perOrganization))
  const failing = createShare(mostOfHalf(inAll), mostOfHalf(perOrganization))
  const revocations = createRevocations()
  const throttle = createThrottle(() => onRoom('unhealthy'), utilization)
  const waiting: (() => void)[] = []
  let count = 0
  let isSuspended = false

  const sharesOf = ({ isHealthy, isFailing }: Counted) => {
    if (isHealthy) return [healthy]
    return [unhealthy, isFailing ? failing : degraded]
  }

  const release = (delivery: Counted, weight: number) => {
    const { organizationId, isHealthy } = delivery
    const shares = sharesOf(delivery)
    const wasFull = shares.some((share) => share.isFull(organizationId))
    for (const share of shares) share.remove(organizationId, weight)
    if (wasFull) onRoom(isHealthy ? 'healthy' : 'unhealthy')
    count -= 1
    if (count === 0) for (const resolve of waiting.splice(0)) resolve()
  }

  const isHealthyScarce = () => healthy.room() < maxClaimed.healthy
  const healthyLimit = () => Math.min(maxClaimed.healthy, Math.ceil(healthy.room() * claimShare))
  /** Half of what is left for each of the two; the last one for both, whose calls then take turns. */
  const claimableOf = (share: Share, half: number) => ({
    limit:
      throttle.isPaused() || unhealthy.room() === 0
        ? 0
        : Math.min(maxClaimed.unhealthy, share.room(), Math.max(1, half)),
    excluded: [...unhealthy.full(), ...share.full()],
  })

  return {
    /** Counts it, as so many, until the function that it gives is called, once: when it is settled. */
    hold(delivery: Counted, weight = 1): () => void {
      for (const share of sharesOf(delivery)) share.add(delivery.organizationId, weight)
      count += 1
      // A slow one that answered last has room for more than one, and connections.
      if (!delivery.isHealthy) throttle.pause(delivery.maxInFlight === 1)
      return () => release(delivery, weight)
    },

    /** Waits until there is none, no longer than `ms`. */
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

    /** Whether another process should help. */
    isScarce: () =>
      isSuspended ||
      isHealthyScarce() ||
      [unhealthy, degraded, failing].some((share) => share.room() === 0) ||
      [healthy, unhealthy, degraded, failing].some((share) => share.full().length > 0),

    /** Deliveries of an organization's healthy receivers that may be claimed as published; where there is little room, others help. */
    publishLimitOf: (organizationId: string) =>
      isSuspended || healthy.isFull(organizationId) || isHealthyScarce() ? 0 : maxClaimed.published,

    claimable(kind: Kind): Claimable {
      if (isSuspended) return { healthy: nothing, degraded: nothing, failing: nothing }
      return kind === 'healthy'
        ? { healthy: { limit: healthyLimit(), excluded: healthy.full() }, degraded: nothing, failing: nothing }
        : {
            healthy: nothing,
            degraded: claimableOf(degraded, Math.ceil(unhealthy.room() / 2)),
            failing: claimableOf(failing, Math.floor(unhealthy.room() / 2)),
          }
    },

    /** Of a webhook or an organization: nothing of it is called that was claimed before now, by the process's own time. */
    revoke: (id: string, now = performance.now()) => revocations.add(id, now),
    /** `since`: from before it was claimed. */
    wasRevoked: ({ webhookId, organizationId }: LaneKey, since: number) =>
      revocations.has(webhookId, since) || revocations.has(organizationId, since),
  }
}

/** What receivers that are not healthy, and are failing or are not, may use of a cap. */
const mostOfHalf = (cap: number) => Math.max(1, Math.floor((halfOf(cap) * 3) / 4))

type Share = ReturnType<typeof createShare>

function createShare(most: number, mostOfOrganization: number) {
  const tally = createTally()
  return {
    ...tally,
    room: () => Math.max(0, most - tally.inAll()),
    isFull: (organizationId: string) => tally.inAll() >= most || tally.of(organizationId) >= mostOfOrganization,
    full: () => tally.from(mostOfOrganization),
  }
}

/** Within a lease: nothing is begun of a claim that is older, so older ones are forgotten, which bounds them. */
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

/** Between two claims of receivers that are not healthy. */
const stepMs = 20
/** A step in which the thread that calls was busy for more than this share of its time is followed by another, up to so many. */
const busyShare = 0.4
const maxSteps = 3

/** Of the thread that calls. */
export type Utilization = typeof performance.eventLoopUtilization

/**
 * The pause between claims for receivers that are not healthy. Most of their calls need a new connection: each a millisecond and more
 * of the thread that calls. A hundred that time out together would be made anew together, and hold up all other calls. In
 * single steps they did so still on a slow machine: beside 2,000 dead receivers a 99th percentile of 26 ms, and 12 without
 * them; with up to three steps 9, and 7 without them (measured when one loop claimed for all, and calls had no thread).
 */
export function createThrottle(onEnd: () => void, utilization: Utilization) {
  let step: NodeJS.Timeout | undefined
  let isConnecting = false
  const begin = (stepsLeft = maxSteps) => {
    const before = utilization()
    step = setTimeout(() => {
      if (isConnecting && utilization(before).utilization > busyShare && stepsLeft > 1) return begin(stepsLeft - 1)
      step = undefined
      isConnecting = false
      onEnd()
    }, stepMs)
  }
  return {
    /** A pause, unless there is one already; its end is told. `connects`: what was claimed needs a new connection. */
    pause: (connects: boolean) => {
      isConnecting ||= connects
      if (!step) begin()
    },
    isPaused: () => step !== undefined,
  }
}
