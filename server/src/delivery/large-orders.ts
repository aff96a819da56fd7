/**
 * Keeps the memory for orders within a limit: their number has one, and an event may have a million characters and go to a
 * thousand webhooks. What is small is never refused, so the large events of one organization hold up nobody else's small ones.
 */
import { createTally } from '../tally.ts'

/** Characters of an event's payload; one has some 600. As many orders as a worker may have take some 100 MB at the most. */
const smallCharacters = 16_000
/** Of the larger ones, in all orders of the process and of one organization. One alone may be larger. */
const mostCharacters = { inAll: 32_000_000, ofOrganization: 8_000_000 }

export function createLargeOrders() {
  const ordered = createTally()
  const fits = (used: number, characters: number, most: number) => used === 0 || used + characters <= most
  return {
    /** Whether there is room for it, which is then taken. */
    take(organizationId: string, characters: number): boolean {
      if (characters <= smallCharacters) return true
      const hasRoom =
        fits(ordered.inAll(), characters, mostCharacters.inAll) &&
        fits(ordered.of(organizationId), characters, mostCharacters.ofOrganization)
      if (hasRoom) ordered.add(organizationId, characters)
      return hasRoom
    },
    release(organizationId: string, characters: number) {
      if (characters > smallCharacters) ordered.remove(organizationId, characters)
    },
  }
}
