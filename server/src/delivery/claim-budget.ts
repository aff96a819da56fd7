import { createTally } from '../tally.ts'
import { type CallCaps, halfOf } from './call-caps.ts'

/** Taken by one claim, of quick receivers, and of those that are not. */
const maxClaimed = { quick: 400, others: 4 }
/**
 * Between two claims of those that are not quick. Most of their calls need a new connection, a millisecond and more of this
 * process's time each; a hundred that time out together would be made anew together (89 ms at the 99th percentile of others'
 * calls).
 */
const othersEveryMs = 20
/** Of quick receivers, what may wait for the calls before it, in all and of one organization. */
const maxWaiting = 2_000
const maxWaitingOfOrganization = 1_000
/** A claim takes no more than this share of what may still be claimed, so that a few lanes never take it all. */
const claimShare = 1 / 4

/** What the next claim may take: so many deliveries, none of the organizations that are full. */
export type Claimable = Record<'quick' | 'others' | 'failing', { most: number; full: string[] }>

type Claimed = { organizationId: string; isQuick: boolean; isFailing: boolean }

/**
 * Counts what this process has claimed and not settled, and says what more it may claim: of quick receivers the calls that
 * may be under way and a number that waits to follow them; of all that are not, half of the calls, and none that waits.
 * Those that have failed for a while get three quarters of that half: the others (new ones, slow ones, those that failed
 * just now) would else wait until one of those that never answer has timed out. The same holds for each organization.
 */
export function createClaimBudget({ inAll, perOrganization }: CallCaps, onRoom: () => void) {
  const quick = createShare(inAll + maxWaiting, perOrganization + maxWaitingOfOrganization)
  const notQuick = createShare(halfOf(inAll), halfOf(perOrganization))
  const failing = createShare(failingOf(inAll), failingOf(perOrganization))
  let pause: NodeJS.Timeout | undefined
  const pauseOthers = () => {
    pause ??= setTimeout(() => {
      pause = undefined
      onRoom()
    }, othersEveryMs)
  }
  const sharesOf = ({ isQuick, isFailing }: Claimed) => {
    if (isQuick) return [quick]
    return isFailing ? [notQuick, failing] : [notQuick]
  }
  /** Half of what is left each; of the last one whoever is due, and should both be, one waits for its call. */
  const mostOf = (share: number) =>
    pause || notQuick.room() === 0 ? 0 : Math.min(maxClaimed.others, Math.max(1, share))
  return {
    add(claimed: Claimed) {
      for (const share of sharesOf(claimed)) share.add(claimed.organizationId)
      if (!claimed.isQuick) pauseOthers()
    },
    remove(claimed: Claimed) {
      const shares = sharesOf(claimed)
      const wasFull = shares.some((share) => share.isFull(claimed.organizationId))
      for (const share of shares) share.remove(claimed.organizationId)
      if (wasFull) onRoom()
    },
    /** Whether another process should help. */
    isScarce: () =>
      quick.room() < maxClaimed.quick ||
      failing.room() === 0 ||
      [quick, notQuick, failing].some((share) => share.full().length > 0),
    claimable: (): Claimable => ({
      quick: { most: Math.min(maxClaimed.quick, Math.ceil(quick.room() * claimShare)), full: quick.full() },
      others: { most: mostOf(Math.ceil(notQuick.room() / 2)), full: notQuick.full() },
      failing: {
        most: Math.min(failing.room(), mostOf(Math.floor(notQuick.room() / 2))),
        full: [...notQuick.full(), ...failing.full()],
      },
    }),
  }
}

/** What receivers that have failed for a while may use of a cap together. */
const failingOf = (cap: number) => Math.max(1, Math.floor((halfOf(cap) * 3) / 4))

function createShare(most: number, mostOfOrganization: number) {
  const tally = createTally()
  return {
    ...tally,
    room: () => Math.max(0, most - tally.inAll()),
    isFull: (organizationId: string) => tally.inAll() >= most || tally.of(organizationId) >= mostOfOrganization,
    full: () => tally.from(mostOfOrganization),
  }
}
