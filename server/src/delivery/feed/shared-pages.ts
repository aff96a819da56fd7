import type { EventName } from '../events/index.ts'
import type { Feed, FeedPage } from './feed.ts'
import type { FeedEvent } from './feed-store.ts'

/** What a follower holds at once: events, and their payloads up to the event that reaches these bytes. */
const pageLimits = { limit: 100, bytes: 65_536 }

export type FollowedEvent = FeedEvent & { cursor: string }

/** `cursor`: that of `next`. */
type SharedPage = Omit<FeedPage, 'events'> & { events: readonly FollowedEvent[]; cursor: string }

type Entry = { page: Promise<SharedPage>; holders: number }

type Reader = { organizationId: string; names: EventName[] | undefined; signal: AbortSignal }

/**
 * The pages that followers hold: one page, read once, for all that stand at the same place with the same names, as long as one of
 * them holds it. What lies behind a position never changes, so it is right for those that come there later; only where nothing was
 * found there may be something later.
 */
export function createSharedPages(feed: Pick<Feed, 'readPage' | 'cursorOf' | 'epoch'>) {
  const entries = new Map<string, Entry>()

  const read = async ({ organizationId, names }: Reader, after: number | undefined): Promise<SharedPage> => {
    const { events, ...page } = await feed.readPage(organizationId, { after, names, ...pageLimits })
    const cursors = await Promise.all(events.map(({ position }) => feed.cursorOf(position)))
    const followed = events.map((event, index) => ({ ...event, cursor: cursors[index] as string }))
    return { ...page, events: followed, cursor: await feed.cursorOf(page.next) }
  }

  const hold = (reader: Reader, after: number | undefined) => {
    const name = [feed.epoch(), reader.organizationId, after, ...(reader.names ?? [])].join(' ')
    const entry = entries.get(name) ?? { page: read(reader, after), holders: 0 }
    entries.set(name, entry)
    entry.holders++
    const forget = () => entries.get(name) === entry && entries.delete(name)
    entry.page.then(({ events }) => events.length > 0 || forget(), forget)
    const letGo = () => {
      entry.holders--
      if (entry.holders === 0) forget()
    }
    return { page: entry.page, letGo }
  }

  return {
    /** A reader that holds one page at a time, until its signal aborts. */
    open(reader: Reader) {
      let letGo = () => {}
      const close = () => {
        letGo()
        letGo = () => {}
      }
      reader.signal.addEventListener('abort', close)
      return {
        turnTo(after: number | undefined): Promise<SharedPage> {
          const held = hold(reader, after)
          close()
          letGo = held.letGo
          if (reader.signal.aborted) close()
          return held.page
        },
      }
    },
  }
}
