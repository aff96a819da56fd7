import type { EventName } from '../events/index.ts'
import type { Feed, FeedPage, FeedSearch } from './feed.ts'
import type { FeedEvent } from './feed-store.ts'
import type { Followers } from './followers.ts'

/** What a follower holds at once: events, and their payloads up to the event that reaches these bytes. */
const pageLimits = { limit: 100, bytes: 65_536 }

type FollowedEvent = FeedEvent & { cursor: string }

type Start = {
  /** A place; undefined: from the oldest event that is kept. */
  after: number | undefined
  names: EventName[] | undefined
  /** How many events `next` gives at most. */
  atOnce: number
  signal: AbortSignal
}

type Followed = {
  /** The next events, once there are some, in the order of the feed; none where a filter lets nothing through, or at the end. */
  next(): Promise<FollowedEvent[]>
  /** The cursor behind everything that was given before the last call of `next`; empty: before the oldest event. */
  position(): string
}

/** Reads what is there, and then what comes: one way for both, so that nothing is left out or comes twice in between. */
export type Follow = (organizationId: string, start: Start) => Promise<Followed>

export function createFollow({ feed, followers }: { feed: Feed; followers: Followers }): Follow {
  const readPage = shareReads(feed.readPage)
  return async (organizationId, { after, names, atOnce, signal }) => {
    const read = async (place: number | undefined) => {
      const { events, next, hasMore } = await readPage(organizationId, { after: place, names, ...pageLimits })
      const cursors = await Promise.all(events.map((event) => feed.cursorOf(event.place)))
      const followed = events.map((event, index) => ({ ...event, cursor: cursors[index] as string }))
      return { events: followed, next, hasMore, cursor: await feed.cursorOf(next) }
    }
    const follower = followers.join(organizationId, signal)
    // Before anything is sent: what is wrong with the place is then the answer.
    let page = await read(after)
    let given: FollowedEvent[] = []
    /** Behind what was given before. */
    let position = after === undefined ? '' : await feed.cursorOf(after)
    return {
      position: () => (page.events.length + given.length === 0 ? page.cursor : position),
      next: async () => {
        position = given.at(-1)?.cursor ?? position
        given = []
        if (page.events.length === 0) {
          position = page.cursor
          if (!page.hasMore) await follower.more(page.next)
          if (signal.aborted) return []
          page = await read(page.next)
        }
        given = page.events.splice(0, atOnce)
        return given
      },
    }
  }
}

/** Followers that wait at the same place read together. A page is not changed by those who share it. */
function shareReads(readPage: Feed['readPage']): Feed['readPage'] {
  const underWay = new Map<string, Promise<FeedPage>>()
  return (organizationId, search: FeedSearch) => {
    const name = [organizationId, search.after, ...(search.names ?? [])].join(' ')
    const page = underWay.get(name) ?? readPage(organizationId, search).finally(() => underWay.delete(name))
    underWay.set(name, page)
    return page
  }
}
