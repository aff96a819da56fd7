import { createTally } from '../tally.ts'
import { type CallCaps, halfOf } from './call-caps.ts'

/** Taken by one claim, of quick receivers and of the others. */
const maxClaimed = { quick: 400, others: 4 }
/**
 * Between two claims of the others. Most of their calls need a new connection, a millisecond and more of this process's
 * time each; a hundred that time out together would be made anew together (89 ms at the 99th percentile of others' calls).
 */
const othersEveryMs = 20
/** Of quick receivers, what may wait for the calls before it, in all and of one organization. */
const maxWaiting = 2_000
const maxWaitingOfOrganization = 1_000
/** A claim takes no more than this share of what may still be claimed, so that a few lanes never take it all. */
const claimShare = 1 / 4

/** What the next claim may take: so many deliveries, none of the organizations that are full. */
export type Claimable = Record<'quick' | 'others', { most: number; full: string[] }>

type Claimed = { organizationId: string; isQuick: boolean }

/**
 * Counts what this process has claimed and not settled, and says what more it may claim: of quick receivers the calls that
 * may be under way and a number that waits to follow them; of the others half of the calls, and none that waits. The same
 * holds for each organization.
 */
export function createClaimBudget({ inAll, perOrganization }: CallCaps, onRoom: () => void) {
  const quick = createShare(inAll + maxWaiting, perOrganization + maxWaitingOfOrganization)
  const others = createShare(halfOf(inAll), halfOf(perOrganization))
  let pause: NodeJS.Timeout | undefined
  const pauseOthers = () => {
    pause ??= setTimeout(() => {
      pause = undefined
      onRoom()
    }, othersEveryMs)
  }
  const shareOf = ({ isQuick }: Claimed) => (isQuick ? quick : others)
  return {
    add(claimed: Claimed) {
      shareOf(claimed).add(claimed.organizationId)
      if (!claimed.isQuick) pauseOthers()
    },
    remove(claimed: Claimed) {
      const share = shareOf(claimed)
      const wasFull = share.isFull(claimed.organizationId)
      share.remove(claimed.organizationId)
      if (wasFull) onRoom()
    },
    /** Whether another process should help. */
    isScarce: () =>
      quick.room() < maxClaimed.quick || others.room() === 0 || [...quick.full(), ...others.full()].length > 0,
    claimable: (): Claimable => ({
      quick: { most: Math.min(maxClaimed.quick, Math.ceil(quick.room() * claimShare)), full: quick.full() },
      others: { most: pause ? 0 : Math.min(maxClaimed.others, others.room()), full: others.full() },
    }),
  }
}

function createShare(most: number, mostOfOrganization: number) {
  const tally = createTally()
  return {
    ...tally,
    room: () => Math.max(0, most - tally.inAll()),
    isFull: (organizationId: string) => tally.inAll() >= most || tally.of(organizationId) >= mostOfOrganization,
    full: () => tally.from(mostOfOrganization),
  }
}
