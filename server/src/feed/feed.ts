import type { Database, Queries } from '../database/database.ts'
import { gone } from '../errors.ts'
import type { EventName } from '../events/index.ts'
import type { Places } from '../places/index.ts'
import { firstIdAt } from '../runtime/identifiers.ts'
import {
  eventsNamed,
  type FeedEvent,
  findFloor,
  findNewestPlace,
  findPlaceFrom,
  findWindow,
  pageOfEvents,
} from './feed-store.ts'

/** `after`: a place; undefined: from the oldest event that is kept. `names`: undefined: all. */
export type FeedSearch = { after: number | undefined; names: EventName[] | undefined; limit: number }

/** `next`: the place of the last event that was read, whether it fits or not; where none was, the place asked for. */
export type FeedPage = { events: FeedEvent[]; next: number; hasMore: boolean }

export type Feed = {
  /**
   * The events after a place, in the order of places. Throws a 410 with the oldest cursor where retention has dropped events after
   * that place.
   */
  readPage(organizationId: string, search: FeedSearch): Promise<FeedPage>
  /** The place that a cursor stands for. Throws a 400 or a 410. */
  placeOf(organizationId: string, cursor: string): Promise<number>
  /**
   * The place before the first event that was published at `since` (milliseconds) or later; that of the newest event where there is
   * none. Earlier events may stand behind it, because the order is not that of ids, and none that is due before it.
   */
  placeSince(organizationId: string, since: number): Promise<number>
  /** The place of the newest event, or the one before all. */
  newestPlace(organizationId: string): Promise<number>
  /** The cursor after the event at `place`. */
  cursorOf(place: number): Promise<string>
}

/** Events that one statement looks at for rare names: of a year of events it would look at all. */
const windowEvents = 10_000
/** Windows of one page; then it says what was found, and goes on with the next request. */
const maxWindows = 20

/** Of events published at the same moment, these many are compared for the least place. */
const comparedEvents = 100

/** Events read for one page: `last` is the place of the last one, undefined where there was none. */
type Read = { events: FeedEvent[]; last: number | undefined; hasMore: boolean }
type Bounds = { after: number; end: number; limit: number }

/** The end and the rows are read by two statements, and the floor after both: a partition dropped in between leaves no gap. */
export function createFeed({ database, places }: { database: Database; places: Places }): Feed {
  const cursors = places.cursors('events')
  const queries = database.pages
  const oldestPlace = async (floor: number) => Math.max(floor, await places.beginning())
  const oldestCursor = async (floor: number) => cursors.write(await oldestPlace(floor))
  const placeOfNewest = async (organizationId: string, end: number) =>
    (await findNewestPlace(queries, organizationId, end)) ?? oldestPlace(await findFloor(database.read, organizationId))
  return {
    readPage: async (organizationId, { after, names, limit }) => {
      const bounds = { after: after ?? 0, end: await places.end(), limit }
      const { events, last, hasMore } = names
        ? await readNamed(queries, organizationId, names, bounds)
        : await readAll(queries, organizationId, bounds)
      const floor = await findFloor(database.read, organizationId)
      if (after !== undefined && after < floor)
        throw gone(`after: is older than the events that are kept; the oldest cursor is ${await oldestCursor(floor)}`)
      return { events, next: last ?? after ?? (await oldestPlace(floor)), hasMore }
    },
    placeOf: (organizationId, cursor) =>
      cursors.read(cursor, async () => oldestCursor(await findFloor(database.read, organizationId))),
    placeSince: async (organizationId, since) => {
      const end = await places.end()
      const from = { firstId: firstIdAt(since), end, limit: comparedEvents }
      const first = await findPlaceFrom(queries, organizationId, from)
      if (first === undefined) return placeOfNewest(organizationId, end)
      return Math.max(first - 1, await oldestPlace(await findFloor(database.read, organizationId)))
    },
    newestPlace: async (organizationId) => placeOfNewest(organizationId, await places.end()),
    cursorOf: cursors.write,
  }
}

async function readAll(queries: Queries, organizationId: string, { after, end, limit }: Bounds): Promise<Read> {
  const events = await pageOfEvents(queries, organizationId, { after, end, limit: limit + 1 })
  const hasMore = events.length > limit
  if (hasMore) events.pop()
  return { events, last: events.at(-1)?.place, hasMore }
}

/** One window after the other, so that a name that hardly any event has costs no more than those windows. */
async function readNamed(
  queries: Queries,
  organizationId: string,
  names: EventName[],
  { after, end, limit }: Bounds,
): Promise<Read> {
  const events: FeedEvent[] = []
  let last: number | undefined
  for (let windows = 0; windows < maxWindows; windows++) {
    const from = last ?? after
    const window = await findWindow(queries, organizationId, { after: from, end, limit: windowEvents })
    if (window.last === undefined) return { events, last, hasMore: false }
    const span = { after: from, end: window.last, limit: limit + 1 - events.length }
    events.push(...(await eventsNamed(queries, organizationId, names, span)))
    if (events.length > limit) {
      events.pop()
      return { events, last: events.at(-1)?.place, hasMore: true }
    }
    last = window.last
    if (!window.isFull) return { events, last, hasMore: false }
  }
  return { events, last, hasMore: true }
}
