import type { Database, Queries } from '../../ground/database/database.ts'
import { gone } from '../../ground/errors.ts'
import type { Positions } from '../../ground/positions/index.ts'
import { firstIdAt } from '../../ground/runtime/identifiers.ts'
import type { Turns } from '../../ground/runtime/turns.ts'
import type { EventName } from '../events/index.ts'
import {
  type EventRow,
  eventsNamed,
  type FeedEvent,
  findLowWatermark,
  findNewestPosition,
  findPositionFrom,
  hasReached,
  pageOfEvents,
  scanEvents,
} from './feed-store.ts'

/**
 * `after`: a position; undefined: from the oldest event that is kept. `names`: undefined: all. A page ends with the event whose payload
 * reaches `bytes`, so that it has one event at least.
 */
export type FeedSearch = { after: number | undefined; names: EventName[] | undefined; limit: number; bytes: number }

/** `next`: the position of the last event that was read, whether it fits or not; where none was, the position asked for. */
export type FeedPage = { events: FeedEvent[]; next: number; hasMore: boolean }

export type Feed = {
  /**
   * The events after a position, in the order of positions. Throws a 410 with the oldest cursor where retention has dropped events after
   * that position.
   */
  readPage(organizationId: string, search: FeedSearch): Promise<FeedPage>
  /** The position that a cursor stands for. Throws a 400 or a 410. */
  positionOf(organizationId: string, cursor: string): Promise<number>
  /**
   * The position before the first event that was published at `since` (milliseconds) or later; that of the newest event where there is
   * none. Earlier events may stand behind it, because the order is not that of ids, and none that is due before it.
   */
  positionSince(organizationId: string, since: number): Promise<number>
  /** The position of the newest event, or the one before all. */
  newestPosition(organizationId: string): Promise<number>
  /** The cursor after the event at `position`. */
  cursorOf(position: number): Promise<string>
  /** What a position belongs to that is kept in memory: once this changes, only its cursor tells whether it is still there. */
  epoch(): string | undefined
}

/** Events that one scan looks at for rare names: of a year of events it would look at all. */
export const eventsPerScan = 10_000
/** Scans for one page; then it says what was found, and goes on with the next request. */
export const maxScans = 20

/** Of events published at the same moment, these many are compared for the least position. */
const comparedEvents = 100

/** Events read for one page: `last` is the position of the last one, undefined where there was none. */
type Read = { events: FeedEvent[]; last: number | undefined; hasMore: boolean }
type Bounds = { after: number; end: number; limit: number; bytes: number }

/** The same feed for those who follow it, who are many and come all at once. */
export const inTurns = (feed: Feed, { take }: Pick<Turns, 'take'>): Feed => ({
  ...feed,
  readPage: (organizationId, search) => take(organizationId, () => feed.readPage(organizationId, search)),
  positionSince: (organizationId, since) => take(organizationId, () => feed.positionSince(organizationId, since)),
  newestPosition: (organizationId) => take(organizationId, () => feed.newestPosition(organizationId)),
})

/** The end and the rows are read by two statements, and the low watermark after both: a partition dropped in between leaves no gap. */
export function createFeed({
  database,
  positions,
}: {
  database: Pick<Database, 'pages' | 'read'>
  positions: Positions
}): Feed {
  const queries = database.pages
  const cursors = positions.cursors('events', hasReached(queries))
  const oldestPosition = async (lowWatermark: number) => Math.max(lowWatermark, await positions.beginning())
  const oldestCursor = async (lowWatermark: number) => cursors.write(await oldestPosition(lowWatermark))
  const positionOfNewest = async (organizationId: string, end: number) =>
    (await findNewestPosition(queries, organizationId, end)) ??
    oldestPosition(await findLowWatermark(database.read, organizationId))
  const readPage: Feed['readPage'] = async (organizationId, search) => {
    const { after, names, limit, bytes } = search
    const from = after ?? (await findLowWatermark(database.read, organizationId))
    const bounds = { after: from, end: await positions.end(), limit, bytes }
    const { events, last, hasMore } = names
      ? await readNamed(queries, organizationId, names, bounds)
      : await readAll(queries, organizationId, bounds)
    const lowWatermark = await findLowWatermark(database.read, organizationId)
    if (from >= lowWatermark) return { events, next: last ?? after ?? (await oldestPosition(lowWatermark)), hasMore }
    // A day was dropped while it was read, which happens as often as there are days.
    if (after === undefined) return readPage(organizationId, search)
    throw gone(
      'cursor_expired',
      `after: is older than the events that are kept; the oldest cursor is ${await oldestCursor(lowWatermark)}`,
    )
  }
  return {
    readPage,
    positionOf: (organizationId, cursor) =>
      cursors.read(organizationId, cursor, async () =>
        oldestCursor(await findLowWatermark(database.read, organizationId)),
      ),
    positionSince: async (organizationId, since) => {
      const end = await positions.end()
      const from = { firstId: firstIdAt(since), end, limit: comparedEvents }
      const first = await findPositionFrom(queries, organizationId, from)
      if (first === undefined) return positionOfNewest(organizationId, end)
      return Math.max(first - 1, await oldestPosition(await findLowWatermark(database.read, organizationId)))
    },
    newestPosition: async (organizationId) => positionOfNewest(organizationId, await positions.end()),
    cursorOf: cursors.write,
    epoch: positions.epoch,
  }
}

async function readAll(queries: Queries, organizationId: string, { limit, ...span }: Bounds): Promise<Read> {
  const rows = await pageOfEvents(queries, organizationId, { ...span, limit: limit + 1 })
  const page = within(limit, rows)
  return { ...page, last: page.events.at(-1)?.position }
}

/** Of one row more than the limit. */
function within(limit: number, rows: EventRow[]) {
  const events = rows.slice(0, limit).filter((row): row is FeedEvent => row.payload !== null)
  return { events, hasMore: events.length < rows.length }
}

/** One scan after the other, so that a name that hardly any event has costs no more than those scans. */
async function readNamed(
  queries: Queries,
  organizationId: string,
  names: EventName[],
  { after, end, limit, bytes }: Bounds,
): Promise<Read> {
  const events: FeedEvent[] = []
  let bytesLeft = bytes
  let last: number | undefined
  for (let scans = 0; scans < maxScans; scans++) {
    const from = last ?? after
    const scan = await scanEvents(queries, organizationId, { after: from, end, limit: eventsPerScan })
    if (scan.last === undefined) return { events, last, hasMore: false }
    const limitLeft = limit - events.length
    const span = { after: from, end: scan.last, limit: limitLeft + 1, bytes: bytesLeft }
    const found = within(limitLeft, await eventsNamed(queries, organizationId, names, span))
    events.push(...found.events)
    if (found.hasMore) return { events, last: events.at(-1)?.position, hasMore: true }
    bytesLeft -= bytesOf(found.events)
    last = scan.last
    if (!scan.isFull) return { events, last, hasMore: false }
  }
  return { events, last, hasMore: true }
}

const bytesOf = (events: FeedEvent[]) => events.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0)
