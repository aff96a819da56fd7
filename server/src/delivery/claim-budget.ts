import { createTally } from '../tally.ts'
import { type CallCaps, halfOf } from './call-caps.ts'
import { createPace, type Utilization } from './pace.ts'

/**
 * The most that one claim takes: of quick receivers; of failing ones and of the others, each; and with one publication. Larger
 * publications are left to an ordinary claim: 50 events a call from 4 callers had 0.92 and 0.97 times the rate when claimed as
 * published (measured).
 */
const maxClaimed = { quick: 400, notQuick: 4, published: 32 }
/** Of quick receivers, what may wait for the calls before it, in all and of one organization. */
const maxWaiting = 4_000
const maxWaitingOfOrganization = 2_000
/** A claim takes no more than this share of what may still be claimed, so that a few lanes never take it all. */
const claimShare = 1 / 4

/** Which of a worker's two loops claims a lane: that of quick receivers, or that of all that are not. */
export type Kind = 'quick' | 'notQuick'

/** What the next claim may take: so many deliveries, none of the organizations that are full. */
export type Claimable = Record<'quick' | 'others' | 'failing', { most: number; full: string[] }>

const nothing = { most: 0, full: [] }

type Claimed = { organizationId: string; isQuick: boolean; isFailing: boolean; room: number }

/**
 * Counts what this process has claimed and not settled, and says what more it may claim: of quick receivers the calls that
 * may be under way and a number that waits to follow them; of all that are not, half of the calls, and none that waits.
 * Of that half those that have failed for a while get three quarters at most, and so do the others (new ones, slow ones,
 * those that failed just now): else one would wait until those that never answer have timed out, or the other until slow
 * ones have nothing left. The same holds for each organization.
 */
export function createClaimBudget(
  { inAll, perOrganization }: CallCaps,
  onRoom: (kind: Kind) => void,
  utilization: Utilization,
) {
  const quick = createShare(inAll + maxWaiting, perOrganization + maxWaitingOfOrganization)
  const notQuick = createShare(halfOf(inAll), halfOf(perOrganization))
  const others = createShare(mostOfHalf(inAll), mostOfHalf(perOrganization))
  const failing = createShare(mostOfHalf(inAll), mostOfHalf(perOrganization))
  let isSuspended = false
  const pace = createPace(() => onRoom('notQuick'), utilization)
  const sharesOf = ({ isQuick, isFailing }: Claimed) => {
    if (isQuick) return [quick]
    return [notQuick, isFailing ? failing : others]
  }
  const isQuickScarce = () => quick.room() < maxClaimed.quick
  const quickMost = () => Math.min(maxClaimed.quick, Math.ceil(quick.room() * claimShare))
  /** Half of what is left for each of the two; the last one for both, whose calls then take turns. */
  const claimableOf = (share: Share, half: number) => ({
    most: pace.isPaused() || notQuick.room() === 0 ? 0 : Math.min(maxClaimed.notQuick, share.room(), Math.max(1, half)),
    full: [...notQuick.full(), ...share.full()],
  })
  return {
    add(claimed: Claimed, weight = 1) {
      for (const share of sharesOf(claimed)) share.add(claimed.organizationId, weight)
      // A slow one that answered last has room for more than one, and connections.
      if (!claimed.isQuick) pace.pause(claimed.room === 1)
    },
    remove(claimed: Claimed, weight = 1) {
      const shares = sharesOf(claimed)
      const wasFull = shares.some((share) => share.isFull(claimed.organizationId))
      for (const share of shares) share.remove(claimed.organizationId, weight)
      if (wasFull) onRoom(claimed.isQuick ? 'quick' : 'notQuick')
    },
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
      isQuickScarce() ||
      [notQuick, others, failing].some((share) => share.room() === 0) ||
      [quick, notQuick, others, failing].some((share) => share.full().length > 0),
    /** Deliveries of an organization's quick receivers that may be claimed as published; where there is little room, others help. */
    publishedMostOf: (organizationId: string) =>
      isSuspended || quick.isFull(organizationId) || isQuickScarce() ? 0 : maxClaimed.published,
    claimable(kind: Kind): Claimable {
      if (isSuspended) return { quick: nothing, others: nothing, failing: nothing }
      return kind === 'quick'
        ? { quick: { most: quickMost(), full: quick.full() }, others: nothing, failing: nothing }
        : {
            quick: nothing,
            others: claimableOf(others, Math.ceil(notQuick.room() / 2)),
            failing: claimableOf(failing, Math.floor(notQuick.room() / 2)),
          }
    },
  }
}

/** What receivers that are not quick, and are failing or are not, may use of a cap. */
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
