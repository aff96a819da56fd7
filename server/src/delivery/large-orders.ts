/**
 * Keeps the memory for orders within a limit: their number has one, and an event may have a million characters and go to a
 * thousand webhooks. What is small is never refused, so the large events of one organization hold up nobody else's small ones.
 */
import { createTally } from '../tally.ts'

/** Of an event's payload; one has some 600. As many orders as a worker may have take some 100 MB at the most. */
const smallBytes = 16_000
/** Of the larger ones, in all orders of the process and of one organization. One alone may be larger. */
const mostBytes = { inAll: 32_000_000, ofOrganization: 8_000_000 }
/** Of both, what receivers that are not quick may have: those that never answer leave the other half to the rest. */
const notQuickShare = 1 / 2

type Receiver = { organizationId: string; isQuick: boolean }

export function createLargeOrders() {
  const every = createTally()
  const notQuick = createTally()
  const talliesOf = ({ isQuick }: Receiver) => (isQuick ? [every] : [every, notQuick])
  const fits = (used: number, bytes: number, most: number) => used === 0 || used + bytes <= most
  const hasRoom = (tally: typeof every, organizationId: string, bytes: number) => {
    const share = tally === every ? 1 : notQuickShare
    return (
      fits(tally.inAll(), bytes, mostBytes.inAll * share) &&
      fits(tally.of(organizationId), bytes, mostBytes.ofOrganization * share)
    )
  }
  return {
    /** Whether there is room for it, which is then taken. */
    take(receiver: Receiver, bytes: number): boolean {
      if (bytes <= smallBytes) return true
      const { organizationId } = receiver
      const tallies = talliesOf(receiver)
      if (!tallies.every((tally) => hasRoom(tally, organizationId, bytes))) return false
      for (const tally of tallies) tally.add(organizationId, bytes)
      return true
    },
    release(receiver: Receiver, bytes: number) {
      if (bytes > smallBytes) for (const tally of talliesOf(receiver)) tally.remove(receiver.organizationId, bytes)
    },
  }
}
