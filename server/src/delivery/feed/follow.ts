import type { EventName } from '../events/index.ts'
import type { Feed } from './feed.ts'
import type { Followers } from './followers.ts'
import { createSharedPages, type FollowedEvent } from './shared-pages.ts'

type Start = {
  /** A position; undefined: from the oldest event that is kept. */
  after: number | undefined
  names: EventName[] | undefined
  signal: AbortSignal
}

export type Followed = {
  /**
   * The events of the next page, once there are some, in the order of the feed; none where a filter lets nothing through, or at the
   * end. Followers that stand at one place get the same array, and change nothing of it.
   */
  next(): Promise<readonly FollowedEvent[]>
  /** The cursor behind everything that was given before the last call of `next`; empty: before the oldest event. */
  position(): string
}

/** Reads what is there, and then what comes: one way for both, so that nothing is left out or comes twice in between. */
export type Follow = (organizationId: string, start: Start) => Promise<Followed>

export function createFollow({ feed, followers }: { feed: Feed; followers: Followers }): Follow {
  const pages = createSharedPages(feed)
  return async (organizationId, { after, names, signal }) => {
    const { turnTo } = pages.open({ organizationId, names, signal })
    const follower = followers.join(organizationId, signal)
    let epoch = feed.epoch()
    /** Throws a 410 where the database was restored to a state before what was given. */
    const requireSameHistory = async () => {
      const current = feed.epoch()
      if (current !== epoch && page.cursor !== '') await feed.positionOf(organizationId, page.cursor)
      epoch = current
    }
    // Before anything is sent: what is wrong with the position is then the answer.
    let page = await turnTo(after)
    let isGiven = page.events.length === 0
    let position = after === undefined ? '' : await feed.cursorOf(after)
    if (isGiven) position = page.cursor
    return {
      position: () => position,
      next: async () => {
        if (isGiven) {
          position = page.cursor
          if (!page.hasMore) await follower.more(page.next)
          if (signal.aborted) return []
          const next = await turnTo(page.next)
          await requireSameHistory()
          page = next
        }
        isGiven = true
        if (page.events.length === 0) position = page.cursor
        return page.events
      },
    }
  }
}
